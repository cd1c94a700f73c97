"""What a run printed, printed here too when somebody sits in front of it, as a call of a function would."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable

from selfmade._waiting import is_settled
from selfmade.client import AsyncClient, Client
from selfmade.models import Printed, Run


def is_interactive() -> bool:
    """Whether this is a console or a notebook."""
    return hasattr(sys, "ps1") or hasattr(builtins, "get_ipython")


def echo(client: Client, run: Run) -> None:
    """Prints what it printed, if somebody sees it."""
    if is_interactive() and is_settled(run):
        _print(client.runs.get(run).printed)


async def echo_later(client: AsyncClient, run: Run) -> None:
    """The same, to be awaited."""
    if is_interactive() and is_settled(run):
        _print((await client.runs.get(run)).printed)


def _print(printed: Iterable[Printed]) -> None:
    for chunk in printed:
        print(chunk.text, end="", file=sys.stdout if chunk.stream == "stdout" else sys.stderr)
