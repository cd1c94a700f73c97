"""What a run can change in its process: signals, environment, folder, limits, threads, children.

One pair of functions for each: `take` tells how it is, `put_back` compares with that and restores it, or raises an error if that
is impossible. Beside the pairs stands `GLANCE`, functions that are called after every run of a warm cell: while all of them
return what they returned before, nothing has changed that the pairs are for.
"""

import _signal
import _thread
import functools
import os
import resource
import sys
import time

import _cell_kernel as kernel


class CannotPutBack(Exception):
    """The cell must not run anything any more."""


_SIGNALS = sorted(_signal.valid_signals())
_TIMERS = (_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF)
# All that Linux has.
_LIMITS = range(16)
_environ = os.environb
_getitimer = _signal.getitimer
# How often a handler or a limit was set. Asking for all of them takes as long as everything else.
_set_handlers = _set_limits = 0
# How many of these were put back, if need be.
_known_limits = 0


def fixed(take):
    """A pair for what cannot be restored."""

    def put_back(saved):
        if take() != saved:
            raise CannotPutBack(take.__name__)

    return take, put_back


def writable(take, write):
    """A pair for what is written as it is read."""

    def put_back(saved):
        if take() != saved:
            write(saved)

    return take, put_back


def stop_timers():
    """What was to happen later would happen to another run."""
    for timer in _TIMERS:
        if _getitimer(timer)[0]:
            _signal.setitimer(timer, 0)
    faulthandler = sys.modules.get("faulthandler")
    if faulthandler is not None:
        faulthandler.cancel_dump_traceback_later()


def reap_children():
    if kernel.reap_children():
        raise CannotPutBack("a child process is left")


def _counting_handlers(write):
    @functools.wraps(write)
    def signal(number, handler):
        global _set_handlers
        _set_handlers += 1
        return write(number, handler)

    return signal


def _counting_limits(write):
    @functools.wraps(write)
    def noticed(*args):
        global _set_limits
        _set_limits += 1
        return write(*args)

    return noticed


# Nobody else knows the handlers, so whoever sets one comes here.
_signal.signal = _counting_handlers(_signal.signal)
resource.setrlimit, resource.prlimit = _counting_limits(resource.setrlimit), _counting_limits(resource.prlimit)


def _handlers():
    return list(map(_signal.getsignal, _SIGNALS))


def _put_back_handlers(saved):
    for number, handler in zip(_SIGNALS, saved):
        if _signal.getsignal(number) is not handler:
            _signal.signal(number, handler)


def _mask():
    return _signal.pthread_sigmask(_signal.SIG_BLOCK, ())


def _put_back_mask(saved):
    if _mask() != saved:
        if _signal.sigpending():
            raise CannotPutBack("a signal waits to be delivered")
        _signal.pthread_sigmask(_signal.SIG_SETMASK, saved)


def variables():
    return dict(_environ._data)


def put_back_variables(saved):
    now = _environ._data
    if now == saved:
        return
    for name in [name for name in now if name not in saved]:
        del _environ[name]
    for name, value in saved.items():
        if now.get(name) != value:
            _environ[name] = value
    time.tzset()


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _limits():
    return list(map(resource.getrlimit, _LIMITS))


def _put_back_limits(saved):
    global _known_limits
    if _known_limits == _set_limits:
        return
    for number, limit in zip(_LIMITS, saved):
        if resource.getrlimit(number) != limit:
            resource.setrlimit(number, limit)
    _known_limits = _set_limits


def _priority():
    return os.getpriority(os.PRIO_PROCESS, 0)


def _processors():
    return os.sched_getaffinity(0)


def _threads():
    return _thread._count()


def _standard_descriptors():
    """Where output goes. Without its channel a cell is lost anyway."""
    return [(one.st_dev, one.st_ino) for one in map(os.fstat, (1, 2))]


def _written():
    return _set_handlers, _set_limits


PAIRS = [
    (_handlers, _put_back_handlers),
    (_mask, _put_back_mask),
    fixed(_threads),
    # Asking first would take longer.
    (os.getcwd, os.chdir),
    (_umask, os.umask),
    (_limits, _put_back_limits),
    fixed(_priority),
    writable(_processors, lambda saved: os.sched_setaffinity(0, saved)),
    fixed(_standard_descriptors),
]
_TOLD_AT_ONCE = [kernel.process] if kernel.is_process_told() else [_mask, os.getcwd, _processors, _standard_descriptors]
GLANCE = [_written, _threads, _umask, _priority, *_TOLD_AT_ONCE]
