"""One cell: waits for jobs, runs each, and tells how it ended. A fresh cell gets one job and is killed after the answer."""

import _signal
import _thread
import builtins
import contextvars
import gc
import os
import resource
import sys

import _cell_errors
import _cell_host
import _cell_kernel as kernel
import _cell_lanes as lanes
import _cell_litellm
import _cell_reach
from _cell_calls import Recorder
from _cell_describe import describe
from _cell_frames import Channel, to_json
from _cell_functions import Closure, arguments, code_as_text
from _cell_values import NotCarried, decode, encode


# What an ending says besides, at most.
_TAIL_BYTES = 200
_JSON = {True: "true", False: "false"}


class Cell:
    """Made in the zygote, before there is a socket; a forked one only has to be given it."""

    def __init__(self, frame_bytes):
        self.channel = Channel(None, frame_bytes)
        self.recorder = Recorder(self.channel)
        self.verbs = _cell_host.Verbs(self.channel, self.recorder)
        self.secrets = _cell_host.Secrets()
        # What warm cells are put back to. Made when everything is loaded.
        self.baseline = None
        self._is_warm = self._is_shared = False
        self._closure = None
        self._limits = {}

    def install(self):
        """What must be in place before any code of a function runs."""
        builtins.input = no_input
        _cell_reach.install()
        sys.modules["selfmade"] = _cell_host.module(self.verbs, self.secrets)
        sys.meta_path.append(_cell_litellm.Finder)
        sys.setrecursionlimit(2000)
        _signal.signal(_signal.SIGUSR1, lambda number, frame: self._send_position(frame))

    def serve(self):
        """Never returns: nothing of a used cell is worth an orderly end."""
        try:
            while (message := self.channel.receive()) is not None:
                if "compile" in message:
                    self.compile(message["compile"])
                    break
                self.job(message["job"])
        except BaseException:
            # Nothing can be told any more, and the interpreter's own way out would run what the function left there.
            os._exit(70)
        os._exit(0)

    def compile(self, task):
        """Tells the code of a source. No source is ever executed in a cell that does this."""
        self._limit(task["limits"])
        try:
            code = code_as_text(task["source"], task["file"])
        except BaseException:
            # Whoever runs the function will hear why.
            code = None
        self.channel.send({"compiled": code})

    def job(self, job):
        self.recorder.open()
        _cell_reach.forget()
        lanes.begin()
        gc.enable()
        try:
            ending = self._run(job)
        except BaseException as error:
            ending = to_json({"raised": _cell_errors.as_data(error)})
        is_reusable = self._settle()
        tail = self._tail(is_reusable)
        gc.disable()
        self.recorder.close()
        # The ending can be long, and is written once.
        self.channel.send_text(f'{{"end":{ending[:-1]},{tail[1:]}}}')
        if is_reusable:
            self._prepare_for_next()

    def rehearse(self, job):
        """Runs a job for nobody, so that what real ones touch is loaded and, in a cell, already copied from the zygote."""
        channel, silent = self.channel, _Silence(self.channel.frame_bytes)
        self.channel = self.recorder.channel = silent
        self.job(job)
        self.channel = self.recorder.channel = channel
        self._closure = None
        self.recorder.reset()

    def _run(self, job):
        self._limit(job["limits"])
        for name, value in job["variables"].items():
            # In a warm cell they are there already.
            if os.environ.get(name) != value:
                os.environ[name] = value
        self.verbs.granted = job["verbs"]
        self.secrets._values = secrets = job["secrets"]
        closure = self._closure_of(job)
        closure.use_secrets(secrets)
        # What it sets in variables of the context, such as the precision of decimals, ends with it.
        if job["anew"]:
            context = contextvars.copy_context()
            function, kind = self._load_anew(job["entry"], context)
        else:
            function, kind = self._load(job)
            context = contextvars.copy_context()
        positional, named = arguments(function, decode(job["input"]))
        output = context.run(self._call, function, kind, positional, named)
        if kind in ("generator", "async_generator"):
            return to_json({"yielded": True})
        return self._returned(output)

    def _load(self, job):
        loaded = self._closure.load(job["entry"])
        if job["is_warm"] and not self._is_warm:
            self._is_warm = self.baseline.begin()
            self._closure.baseline = self.baseline if self._is_warm else None
        return loaded

    def _load_anew(self, entry, context):
        """For one run only, so whatever loading sets is put back with the rest."""
        if not self._is_warm:
            self._is_warm = self._is_shared = self.baseline.begin(is_strict=True)
        return context.run(self._closure.load, entry)

    def _settle(self):
        """Whether another run may follow in this cell, as far as that is known before this one is over."""
        if not self._is_warm:
            return False
        if self._is_shared:
            self._closure.unload()
        try:
            self.baseline.settle()
        except BaseException:
            # A child process is left, or a signal came that the run had ordered.
            return False
        return _thread._count() == 0

    def _prepare_for_next(self):
        """While nobody waits for it. A job that is on its way to a cell that ends here is given to another one."""
        self.recorder.reset()
        self.verbs.reset()
        if not self.baseline.put_back():
            os._exit(0)

    def _limit(self, limits):
        if limits == self._limits:
            return
        self._limits = limits
        for name, value in limits.items():
            try:
                resource.setrlimit(getattr(resource, name), (value, value))
            except ValueError:
                # It is lower already, and cannot be raised.
                pass

    def _closure_of(self, job):
        if job["functions"] is not None:
            self.recorder.forget()
            self._closure = Closure(job["functions"], self.recorder)
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
            text = to_json({"returned": value})
            self._check_size(text, "the result")
        except NotCarried as error:
            data = _cell_errors.as_data(error)
            data["value"] = describe(output)
            return to_json({"raised": data})
        return text

    def _check_size(self, text, what):
        if len(text) + _TAIL_BYTES > self.channel.frame_bytes:
            raise NotCarried(f"{what} takes {len(text)} bytes and at most {self.channel.frame_bytes} can leave the cell at once; return less, or store it and return where it is")

    def _tail(self, is_reusable):
        """What every ending says, after everything that must come before it is out."""
        streams = [sys.stdout, sys.stderr]
        if sys.__stdout__ is not sys.stdout or sys.__stderr__ is not sys.stderr:
            streams += [sys.__stdout__, sys.__stderr__]
        for stream in streams:
            try:
                stream.flush()
            except BaseException:
                # It may be the function's own.
                pass
        self.recorder.flush()
        return (
            f'{{"dropped_calls":{self.recorder.dropped},"reusable":{_JSON[is_reusable]},'
            f'"peak_bytes":{kernel.peak_bytes()},"children_cpu_us":{kernel.children_cpu_us()}}}'
        )

    def _send_position(self, frame):
        """Asked for just before a cell is killed for its time: what is recorded so far, and where the code stands."""
        self.recorder.flush()
        self.channel.send({"where": _cell_errors.where(frame)})


class _Silence:
    def __init__(self, frame_bytes):
        self.frame_bytes = frame_bytes

    def send(self, message):
        to_json(message)

    def send_text(self, text):
        text.encode("ascii")


def no_input(prompt="", /):
    raise EOFError("a cell has no standard input; give the function a parameter instead of calling `input()`")
