"""How long somebody waits for a run, and when there is nothing more to wait for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from selfmade._values import encode
from selfmade.models import Run

# The longest that the server holds a request open for one run.
_LONGEST = 3600
# What an answer may take beyond the wait that was asked for.
_MARGIN = 30.0


class Deadline:
    """So many seconds from now, or never."""

    def __init__(self, seconds: float | None) -> None:
        self._at = None if seconds is None else time.monotonic() + max(0.0, seconds)

    def left(self) -> float | None:
        """The seconds that are left; `None` is for ever."""
        return None if self._at is None else max(0.0, self._at - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.left() == 0.0

    def whole_seconds(self) -> int:
        """How long the server shall wait: it counts in whole seconds, and never for ever."""
        left = self.left()
        return _LONGEST if left is None else min(_LONGEST, int(left))

    def patience(self, most: float | None = None) -> float | None:
        """How long a connection may be silent."""
        left = self.left()
        if most is not None:
            return most if left is None else max(0.05, min(most, left))
        return (_LONGEST if left is None else left) + _MARGIN


def is_settled(run: Run) -> bool:
    """Whether nothing more happens by itself: a timer goes off, a person has to answer."""
    return run.is_over or run.asks


def positional(args: Sequence[Any]) -> list[Any]:
    """Arguments by position, as the server takes them."""
    return [encode(value, f"argument {n}") for n, value in enumerate(args, 1)]
