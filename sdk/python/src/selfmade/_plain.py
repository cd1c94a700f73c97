"""When decorated functions are plain Python: where somebody says so, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PLAIN: ContextVar[bool] = ContextVar("selfmade.plain", default=False)


@contextmanager
def plain() -> Iterator[None]:
    """Inside, decorated functions are plain Python.

    Calling one runs it here, and `@selfmade.function` returns what it decorates. For tests of packs.
    The variable `SELFMADE_PLAIN=1` does the same for a whole process.
    """
    token = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(token)


def is_plain() -> bool:
    """Whether functions are plain Python here and now."""
    return _PLAIN.get() or os.environ.get("SELFMADE_PLAIN", "") not in ("", "0")
