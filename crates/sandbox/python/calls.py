"""The record of Calls: each dependency is bound as a wrapper that tells when it began and how it finished.

Objects go through by reference. What is recorded is a bounded description taken at the moment of the call, collected and
sent in batches; recording never raises and never changes what the function sees.

There can be very many Calls, and threads may make them. What is done for each is written down in one place instead of in
well-named functions, and takes no lock: it relies on the interpreter to not change threads in the middle of an operation on
one list.
"""

import _thread
import contextvars
import itertools
import operator
import time

from _cell_describe import describe, described
from _cell_errors import message
from _cell_frames import to_json
from _cell_values import type_name

# A batch leaves when it is this long or this old, whichever comes first.
BATCH = 200
BATCH_NS = 10_000_000
# No frame with a batch is longer; descriptions are bounded one by one, and many large ones make a batch larger than frames are.
BATCH_TEXT = 512 << 10
# After that many a run is a loop, and its record is cut.
MAX_CALLS = 100_000
# Of parameters, and of arguments beyond them.
MAX_NAMES = 64
MAX_NAME = 100

# What needs no closer look: these are their own description.
_LARGE = 1 << 63
_SHORT = 200

_TOO_LONG = described(object, "too long to be recorded")

_clock = time.perf_counter_ns
current = contextvars.ContextVar("call", default=0)
_NUMBER = operator.itemgetter(0)
_nothing = itertools.repeat(MAX_CALLS + 1).__next__


class Recorder:
    """Each Call has an entry: its number, that of its parent, function, microseconds since the start, arguments. If it finishes before its
    entry is sent, how it finished is put beside, which spares a second one: duration, output, error if there is one."""

    def __init__(self, channel):
        self.channel = channel
        self.entries = []
        self._late = []
        self._parameters = {}
        # Batches leave in order. The signal for last words may come while its own thread is sending one.
        self._sending = _thread.RLock()
        self.reset()

    def reset(self):
        self.entries.clear()
        self._late.clear()
        self._untold = list(self._parameters.items())
        self.close()
        self.sent = self.dropped = self.start = self.due = 0

    def open(self):
        self.start = _clock()
        self.due = self.start + BATCH_NS
        self.next = itertools.count(1).__next__
        self._open = True

    def close(self):
        """Threads that outlive the run record nothing any more."""
        self.next = _nothing
        self._open = False

    def forget(self):
        """Functions are other ones from now on."""
        self._parameters, self._untold = {}, []

    def introduce(self, index, names):
        """Tells how the parameters of a function are called, before the first Call of it."""
        with self._sending:
            if index not in self._parameters:
                self._parameters[index] = names
                self._untold.append((index, names))

    def begin(self, index, args, kwargs, most):
        number, started = self.next(), _clock()
        entry = [number, current.get(), index, (started - self.start) // 1000, _arguments(args, kwargs, most)]
        if number > MAX_CALLS:
            self.dropped += 1
        else:
            self.entries.append(entry)
        return number, entry, started

    def finish(self, number, entry, started, output, error):
        # One that was left open by an earlier job of this cell is nobody's any more.
        if number > MAX_CALLS or started < self.start:
            return
        now = _clock()
        told = (now - started) // 1000, describe(output)
        if error is not None:
            told = *told, _failure(error)
        if number > self.sent:
            entry += told
        else:
            self.late(number, *told)
        if now > self.due or number - self.sent > BATCH:
            self.flush()

    def late(self, *finished):
        """How a Call finished whose entry is sent already."""
        self._late.append(finished)

    def flush(self):
        with self._sending:
            self.due = _clock() + BATCH_NS
            begun, finished = self.entries[:], self._late[:]
            # What began or finished meanwhile stays for the next batch.
            del self.entries[: len(begun)], self._late[: len(finished)]
            if not self._open or not (begun or finished):
                return
            # What finishes from now on is late.
            self.sent = max(map(_NUMBER, begun), default=self.sent)
            untold, self._untold = self._untold, []
            self._send(begun, finished, untold)

    def _send(self, begun, finished, parameters):
        text = to_json({"calls": {"begun": begun, "finished": finished, "parameters": parameters}})
        if len(text) <= BATCH_TEXT:
            self.channel.send_text(text)
        elif len(begun) + len(finished) > 1:
            half, late = len(begun) // 2, len(finished) // 2
            self._send(begun[:half], finished[:late], parameters)
            self._send(begun[half:], finished[late:], ())
        else:
            self._send_short(begun, finished, parameters)

    def _send_short(self, begun, finished, parameters):
        """One that is too long by itself, without its values."""
        for entry in begun:
            entry[4] = {"positional": (), "named": {"…": _TOO_LONG}}
            if len(entry) > 5:
                entry[6] = _TOO_LONG
        finished = [(number, duration, _TOO_LONG, *error) for number, duration, _, *error in finished]
        self.channel.send({"calls": {"begun": begun, "finished": finished, "parameters": parameters}})


def _arguments(args, kwargs, most):
    positional = [describe(value) for value in args[:most]]
    if not kwargs:
        return positional
    # A name from `**` can be any text, even one that is not Unicode.
    named = {name[:200].encode("utf-8", "replace").decode(): describe(value) for name, value in kwargs.items()}
    return {"positional": positional, "named": named}


def _failure(error):
    return {"type": type_name(type(error)), "message": message(error)[:2000]}


def recorded(recorder, index, name, load):
    """A wrapper that loads the function when it is first called, and records each call of it."""
    state = []

    def first():
        function, kind = load()
        code = function.__code__
        recorder.introduce(index, [name[:MAX_NAME] for name in code.co_varnames[: min(code.co_argcount, MAX_NAMES)]])
        # At once, because another thread may be here too.
        state[:] = function, code.co_argcount + MAX_NAMES, _LATER.get(kind)
        call.__wrapped__, call.__doc__ = function, function.__doc__
        return state

    def call(*args, **kwargs):
        function, most, later = state or first()
        if later is not None or kwargs or len(args) > most:
            return (later or _at_once)(recorder, index, most, function, args, kwargs)
        # From here on the same as in `_at_once`.
        number = recorder.next()
        if number > MAX_CALLS:
            recorder.dropped += 1
            return function(*args)
        started = _clock()
        told = args
        for value in args:
            kind = type(value)
            if kind is int and -_LARGE <= value < _LARGE or kind is str and len(value) < _SHORT and value.isascii():
                continue
            told = list(map(describe, args))
            break
        entry = [number, current.get(), index, (started - recorder.start) // 1000, told]
        recorder.entries.append(entry)
        token = current.set(number)
        try:
            output = function(*args)
        except BaseException as error:
            recorder.finish(number, entry, started, None, error)
            raise
        finally:
            current.reset(token)
        now = _clock()
        told = (now - started) // 1000, describe(output)
        if number > recorder.sent:
            entry += told
        else:
            recorder.late(number, *told)
        if now > recorder.due or number - recorder.sent > BATCH:
            recorder.flush()
        return output

    call.__name__ = call.__qualname__ = name
    return call


def _at_once(recorder, index, most, function, args, kwargs):
    number, entry, started = recorder.begin(index, args, kwargs, most)
    token = current.set(number)
    try:
        output = function(*args, **kwargs)
    except BaseException as error:
        recorder.finish(number, entry, started, None, error)
        raise
    finally:
        current.reset(token)
    recorder.finish(number, entry, started, output, None)
    return output


async def _coroutine(recorder, index, most, function, args, kwargs):
    number, entry, started = recorder.begin(index, args, kwargs, most)
    token = current.set(number)
    try:
        output = await function(*args, **kwargs)
    except BaseException as error:
        recorder.finish(number, entry, started, None, error)
        raise
    finally:
        current.reset(token)
    recorder.finish(number, entry, started, output, None)
    return output


def _generator(recorder, index, most, function, args, kwargs):
    number, entry, started = recorder.begin(index, args, kwargs, most)
    try:
        output = yield from function(*args, **kwargs)
    except BaseException as error:
        recorder.finish(number, entry, started, None, None if type(error) is GeneratorExit else error)
        raise
    recorder.finish(number, entry, started, output, None)
    return output


async def _async_generator(recorder, index, most, function, args, kwargs):
    number, entry, started = recorder.begin(index, args, kwargs, most)
    try:
        async for item in function(*args, **kwargs):
            yield item
    except BaseException as error:
        recorder.finish(number, entry, started, None, None if type(error) is GeneratorExit else error)
        raise
    recorder.finish(number, entry, started, None, None)


_LATER = {"coroutine": _coroutine, "generator": _generator, "async_generator": _async_generator}
