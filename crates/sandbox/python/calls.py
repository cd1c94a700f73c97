"""The record of Calls: each dependency is bound as a wrapper that tells when it began and how it finished.

Objects go through by reference. What is recorded is a bounded description taken at the moment of the call, collected and
sent in batches; recording never raises and never changes what the function sees.
"""

import contextvars
import time

from _cell_describe import describe
from _cell_errors import message
from _cell_values import type_name

# A batch leaves when it is this long or the oldest entry this old, whichever comes first.
BATCH = 200
BATCH_NS = 10_000_000
# After that many a run is a loop, and its record is cut.
MAX_CALLS = 100_000

# Types that are their own description, whatever their value.
_PLAIN = frozenset((bool, type(None)))

_clock = time.perf_counter_ns
_current = contextvars.ContextVar("call", default=0)


class Recorder:
    def __init__(self, channel):
        self.channel = channel
        self.reset()

    def reset(self):
        self._begun = []
        self._finished = []
        self._count = 0
        self.dropped = 0
        self._start = self._last = _clock()
        self._open = True

    def close(self):
        """Threads that outlive the run record nothing any more."""
        self._open = False

    def begin(self, index, names, args, kwargs, parent, started):
        if self._count >= MAX_CALLS or not self._open:
            self.dropped += 1
            return 0
        self._count = position = self._count + 1
        given = {}
        for name, value in zip(names, args):
            given[name] = value if type(value) in _PLAIN else describe(value)
        if len(args) > len(names):
            given["*"] = [describe(value) for value in args[len(names) : len(names) + 64]]
        if kwargs:
            for name, value in kwargs.items():
                given[name] = describe(value)
        self._begun.append((position, parent, index, (started - self._start) // 1000, given))
        return position

    def finish(self, position, started, output, error):
        if not position or not self._open:
            return
        now = _clock()
        finished = self._finished
        if error is None:
            told = output if type(output) in _PLAIN else describe(output)
            finished.append((position, (now - started) // 1000, told, None))
        else:
            told = {"type": type_name(type(error)), "message": message(error)[:2000]}
            finished.append((position, (now - started) // 1000, None, told))
        if len(finished) >= BATCH or now - self._last > BATCH_NS:
            self.flush()

    def flush(self):
        self._last = _clock()
        while self._begun or self._finished:
            begun, self._begun = self._begun[:BATCH], self._begun[BATCH:]
            # What finished began before it, so it may go out only when nothing that began is left behind.
            finished = []
            if not self._begun:
                finished, self._finished = self._finished[:BATCH], self._finished[BATCH:]
            self.channel.send({"calls": {"begun": begun, "finished": finished}})


def recorded(recorder, index, name, load):
    """A wrapper that loads the function when it is first called, and records each call of it."""
    state = []

    def first():
        function, kind = load()
        state.extend((function, _names(function), kind))
        call.__wrapped__, call.__doc__ = function, function.__doc__
        return state

    def call(*args, **kwargs):
        function, names, kind = state or first()
        if kind:
            return _later(kind, recorder, index, names, function, args, kwargs)
        started = _clock()
        position = recorder.begin(index, names, args, kwargs, _current.get(), started)
        token = _current.set(position)
        try:
            output = function(*args, **kwargs)
        except BaseException as error:
            recorder.finish(position, started, None, error)
            raise
        finally:
            _current.reset(token)
        recorder.finish(position, started, output, None)
        return output

    call.__name__ = call.__qualname__ = name
    return call


def _names(function):
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _later(kind, recorder, index, names, function, args, kwargs):
    wrap = {"coroutine": _coroutine, "generator": _generator, "async_generator": _async_generator}[kind]
    return wrap(recorder, index, names, function, args, kwargs)


async def _coroutine(recorder, index, names, function, args, kwargs):
    started = _clock()
    position = recorder.begin(index, names, args, kwargs, _current.get(), started)
    token = _current.set(position)
    try:
        output = await function(*args, **kwargs)
    except BaseException as error:
        recorder.finish(position, started, None, error)
        raise
    finally:
        _current.reset(token)
    recorder.finish(position, started, output, None)
    return output


def _generator(recorder, index, names, function, args, kwargs):
    started = _clock()
    position = recorder.begin(index, names, args, kwargs, _current.get(), started)
    try:
        output = yield from function(*args, **kwargs)
    except BaseException as error:
        recorder.finish(position, started, None, None if type(error) is GeneratorExit else error)
        raise
    recorder.finish(position, started, output, None)
    return output


async def _async_generator(recorder, index, names, function, args, kwargs):
    started = _clock()
    position = recorder.begin(index, names, args, kwargs, _current.get(), started)
    try:
        async for item in function(*args, **kwargs):
            yield item
    except BaseException as error:
        recorder.finish(position, started, None, None if type(error) is GeneratorExit else error)
        raise
    recorder.finish(position, started, None, None)
