"""A line that says what is installed for a function before its first run, where somebody sits in front of it."""

from __future__ import annotations

import json
import sys
from typing import Any

from selfmade._echo import is_interactive
from selfmade._errors import SelfmadeError
from selfmade._http import Request
from selfmade.client import Client

_QUIET_SECONDS = 60.0
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


def prepare(client: Client, name: str) -> None:
    """Builds the environment of a function, saying how it goes. What goes wrong is told by the run that needs it."""
    if not is_shown():
        return
    width = 0
    try:
        if not client.functions.get(name).content.requirements:
            return
        request = Request("POST", "/warm", body={"names": [name]}, timeout=_QUIET_SECONDS)
        for message in client.functions._transport.stream(request):
            if message.kind == "making" and (text := words(json.loads(message.data))):
                line = f"selfmade: {text}"
                print("\r" + line.ljust(width), end="", file=sys.stderr, flush=True)
                width = len(line)
    except SelfmadeError:
        pass
    finally:
        if width:
            print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)


def words(making: Any) -> str:
    """What a server says of an environment that it makes, in words."""
    if isinstance(making, str):
        return _WORDS.get(making, "")
    [(kind, values)] = making.items()
    return _WORDS.get(kind, "").format_map(values)
