"""What all records have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from selfmade._html import facts


@dataclass(frozen=True, kw_only=True)
class Record:
    """What the server said about one thing. `raw` is its JSON, with whatever this package has no name for."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    # The attributes that lists of such records show, as columns.
    COLUMNS: ClassVar[tuple[str, ...]] = ()

    def summary(self) -> str:
        """The thing in a few words."""
        return f"{type(self).__name__} {getattr(self, 'name', '')}".strip()

    def shown(self) -> dict[str, Any]:
        """What somebody wants to see of it, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.repr}

    def _repr_html_(self) -> str:
        return facts(self.summary(), self.shown())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        lines = (f"  {name}: {value!r}" for name, value in self.shown().items() if value not in (None, "", [], {}))
        printer.text("…" if cycle else "\n".join([self.summary(), *lines]))
