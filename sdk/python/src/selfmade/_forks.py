"""What a forked child must not share with its parent: connections, and locks that threads of the parent held."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forgetful(Protocol):
    """Something that can begin anew."""

    def forget(self) -> None:
        """Begins anew."""


_all: WeakSet[Forgetful] = WeakSet()


def after_fork(thing: Forgetful) -> None:
    """Lets it begin anew in every child that is forked while it is there."""
    _all.add(thing)


def _forget() -> None:
    for thing in list(_all):
        thing.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
