"""How a list looks before somebody iterates over it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from selfmade._html import table
from selfmade.models import Record

# What fits on a screen.
_MOST_ROWS = 20


class AsyncPreview:
    """A list that has to be awaited shows nothing of what is in it."""

    _path: str

    def __repr__(self) -> str:
        return f"<{self._path.strip('/')}: iterate with `async for`, or await `first(n)` or `all()`>"


class Preview(ABC):
    """A list that shows its first rows in a notebook."""

    _path: str
    _kind: type[Any]

    @abstractmethod
    def first(self, count: int = 1) -> list[Any]:
        """Those at the front."""

    def __repr__(self) -> str:
        return f"<{self._path.strip('/')}: iterate, or ask for `first(n)` or `all()`>"

    def _repr_html_(self) -> str:
        found: list[Record] = self.first(_MOST_ROWS + 1)
        columns = self._kind.COLUMNS
        rows = ([getattr(one, column) for column in columns] for one in found[:_MOST_ROWS])
        note = f"the first {_MOST_ROWS}" if len(found) > _MOST_ROWS else f"{len(found)} in all"
        return table([column.replace("_", " ") for column in columns], rows, note)
