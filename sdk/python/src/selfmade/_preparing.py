"""A line that says what takes time before the first run of a function, where somebody sits in front of it."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from selfmade._echo import is_interactive
from selfmade._errors import SelfmadeError
from selfmade._http import Request
from selfmade.client import Client

_QUIET_SECONDS = 60.0
_MOMENT_SECONDS = 1.0
_WORDS = {
    "waiting": "waiting for another process that builds the same environment",
    "installing_uv": "installing uv",
    "resolving": "resolving packages",
    "resolved": "resolved {packages} packages",
    "downloading": "downloading {package} ({size})",
    "downloaded": "downloaded {package}",
    "building": "building {package}",
    "built": "built {package}",
    "prepared": "prepared {packages} packages",
    "linked": "linked {packages} packages",
}


def is_shown() -> bool:
    """Whether somebody would see it."""
    return is_interactive() or sys.stderr.isatty()


@contextmanager
def saying(text: str) -> Generator[None, None, None]:
    """Says what goes on meanwhile, if it takes longer than a moment."""
    if not is_shown():
        yield
        return
    line = _Line()
    timer = threading.Timer(_MOMENT_SECONDS, line.show, (text,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        line.clear()


class _Line:
    """One line that is written over, and taken away in the end."""

    def __init__(self) -> None:
        self._width = 0
        self._is_over = False
        self._lock = threading.Lock()

    def show(self, text: str) -> None:
        line = f"selfmade: {text}"
        with self._lock:
            if not self._is_over:
                print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
                self._width = len(line)

    def clear(self) -> None:
        with self._lock:
            self._is_over = True
            if self._width:
                print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


def prepare(client: Client, name: str) -> None:
    """Builds the environment of a function, saying how it goes. What goes wrong is told by the run that needs it."""
    if not is_shown():
        return
    line = _Line()
    try:
        if not client.functions.get(name).content.requirements:
            return
        request = Request("POST", "/warm", body={"names": [name]}, timeout=_QUIET_SECONDS)
        for message in client.functions._transport.stream(request):
            if message.kind == "making" and (text := words(json.loads(message.data))):
                line.show(text)
    except SelfmadeError:
        pass
    finally:
        line.clear()


def words(making: Any) -> str:
    """What a server says of an environment that it makes, in words."""
    if isinstance(making, str):
        return _WORDS.get(making, "")
    [(kind, values)] = making.items()
    return _WORDS.get(kind, "").format_map(values)
