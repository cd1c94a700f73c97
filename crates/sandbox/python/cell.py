"""One cell: waits for jobs, runs each, and tells how it ended. A fresh cell gets one job and is killed after the answer."""

import builtins
import gc
import os
import resource
import signal
import sys
import threading

import _cell_errors
import _cell_host
from _cell_calls import Recorder
from _cell_describe import describe
from _cell_frames import to_json
from _cell_functions import Closure, arguments
from _cell_values import NotCarried, decode, encode


class Cell:
    def __init__(self, channel):
        self.channel = channel
        self.recorder = Recorder(channel)
        self.verbs = _cell_host.Verbs(channel, self.recorder)
        self._warm_key = None
        self._closure = None

    def serve(self):
        """Never returns: nothing of a used cell is worth an orderly end."""
        try:
            while (message := self.channel.receive()) is not None:
                self.job(message["job"])
        except BaseException:
            # Nothing can be told any more, and the interpreter's own way out would run what the function left there.
            os._exit(70)
        os._exit(0)

    def job(self, job):
        self.recorder.reset()
        self.verbs.reset()
        gc.enable()
        try:
            ending = self._run(job)
        except BaseException as error:
            ending = to_json({"end": {"raised": _cell_errors.as_data(error), **self._tail()}})
        gc.disable()
        self.recorder.close()
        self.channel.send_text(ending)

    def rehearse(self, job):
        """Runs a job for nobody, so that what real ones touch is loaded and, in a cell, already copied from the zygote."""
        channel, silent = self.channel, _Silence(self.channel.frame_bytes)
        self.channel = self.recorder.channel = silent
        self.job(job)
        self.channel = self.recorder.channel = channel
        self._closure = None

    def _run(self, job):
        _limit(job["limits"])
        os.environ.update(job["variables"])
        secrets = job["secrets"]
        sys.modules["selfmade"] = _cell_host.module(self.verbs, job["verbs"], secrets)
        closure = self._closure_of(job)
        closure.use_secrets(secrets)
        function, kind = closure.load(job["entry"])
        positional, named = arguments(function, decode(job["input"]))
        output = self._call(function, kind, positional, named)
        if kind in ("generator", "async_generator"):
            return to_json({"end": {"yielded": True, **self._tail()}})
        return self._returned(output)

    def _closure_of(self, job):
        if job["warm_key"] is None or job["warm_key"] != self._warm_key:
            self._closure = Closure(job["functions"], self.recorder)
            self._warm_key = job["warm_key"]
        return self._closure

    def _call(self, function, kind, positional, named):
        if kind is None:
            return function(*positional, **named)
        if kind == "generator":
            for value in function(*positional, **named):
                self._yield(value)
            return None
        # A quarter of a zygote's memory, which every fork would pay for; environments with async functions preload it.
        import asyncio

        if kind == "coroutine":
            return asyncio.run(function(*positional, **named))
        return asyncio.run(self._drain(function(*positional, **named)))

    async def _drain(self, values):
        async for value in values:
            self._yield(value)

    def _yield(self, value):
        self.recorder.flush()
        text = to_json({"yield": encode(value, "the yielded value")})
        self._check_size(text, "the yielded value")
        self.channel.send_text(text)

    def _returned(self, output):
        try:
            value = encode(output, "the result")
            text = to_json({"end": {"returned": value, **self._tail()}})
            self._check_size(text, "the result")
        except NotCarried as error:
            data = _cell_errors.as_data(error)
            data["value"] = describe(output)
            return to_json({"end": {"raised": data, **self._tail()}})
        return text

    def _check_size(self, text, what):
        if len(text) > self.channel.frame_bytes:
            raise NotCarried(f"{what} takes {len(text)} bytes and at most {self.channel.frame_bytes} can leave the cell at once")

    def _tail(self):
        """What every ending says, after everything that must come before it is out."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        self.recorder.flush()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "dropped_calls": self.recorder.dropped,
            "reusable": threading.active_count() == 1,
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
            "children_cpu_us": int((children.ru_utime + children.ru_stime) * 1_000_000),
        }


class _Silence:
    def __init__(self, frame_bytes):
        self.frame_bytes = frame_bytes

    def send(self, message):
        to_json(message)

    def send_text(self, text):
        text.encode("ascii")


def _limit(limits):
    for name, value in limits.items():
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        if hard == resource.RLIM_INFINITY or value < hard:
            resource.setrlimit(number, (value, value))


def no_input(prompt="", /):
    raise EOFError("a cell has no standard input; give the function a parameter instead of calling `input()`")


def install(cell):
    """What must be in place before any code of a function runs."""
    builtins.input = no_input
    sys.setrecursionlimit(2000)
    signal.signal(signal.SIGUSR1, lambda number, frame: _last_words(cell, frame))


def _last_words(cell, frame):
    """Asked for just before a cell is killed for its time: what is recorded so far, and where the code stands."""
    cell.recorder.flush()
    cell.channel.send({"where": _cell_errors.where(frame)})
