"""Changesets: what is changed together, what was found wrong with it, what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from selfmade.models.function import Entry
from selfmade.models.record import Record

ChangesetState = Literal["draft", "checked", "applied", "rejected", "conflicted", "reverted"]


@dataclass(frozen=True, kw_only=True)
class Finding(Record):
    """What a check found, where, and what to do about it."""

    message: str
    severity: Literal["error", "warning"] = "error"
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    entry: Entry | None = None

    def __str__(self) -> str:
        name = self.entry.name if self.entry else self.file
        place = ":".join(str(part) for part in (name, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}; {self.hint}" if self.hint else text


@dataclass(frozen=True, kw_only=True)
class Check(Record):
    """One gate of a changeset, and whether it was passed."""

    gate: str
    verdict: Literal["passed", "failed", "not_run", "forced", "asks"]
    findings: list[Finding] = field(default_factory=list)
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChangesetLine(Record):
    """A changeset as lists show it."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("number", "title", "state", "changes", "created_at")

    number: int
    title: str = ""
    state: ChangesetState
    actor: str
    changes: int = 0
    base_revision: int = 0
    applied_revision: int | None = None
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class DiffLine(Record):
    """A line of a difference."""

    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True, kw_only=True)
class Hunk(Record):
    """Lines that changed, with those around them."""

    header: str
    lines: list[DiffLine] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Diff(Record):
    """What differs. `str` of it is what `diff -u` writes."""

    hunks: list[Hunk] = field(default_factory=list)

    def __str__(self) -> str:
        marks = {"same": " ", "added": "+", "removed": "-"}
        told = [
            text
            for hunk in self.hunks
            for text in (hunk.header, *(marks[line.kind] + line.text for line in hunk.lines))
        ]
        return "\n".join(told)


@dataclass(frozen=True, kw_only=True)
class Change(Entry):
    """One thing that a changeset changes."""

    action: str = ""
    diff: Diff = field(default_factory=Diff)


@dataclass(frozen=True, kw_only=True)
class Changeset(Record):
    """A changeset with what it changes and what its checks found. `who` and `decider` are names."""

    number: int
    title: str = ""
    state: ChangesetState
    actor: str
    who: str = ""
    base_revision: int = 0
    applied_revision: int | None = None
    created_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    decider: str | None = None
    changes: list[Change] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    conflicts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """What all checks found."""
        return [finding for check in self.checks for finding in check.findings]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.verdict != "failed" for check in self.checks)

    def summary(self) -> str:
        """The changeset in a few words."""
        return f"changeset {self.number}, {self.state}: {self.title}"

    def shown(self) -> dict[str, Any]:
        """What somebody wants to see of it, by name."""
        shown = {f"{change.action} {change.name}": str(change.diff) for change in self.changes}
        return {**shown, "findings": [str(finding) for finding in self.findings]}


@dataclass(frozen=True, kw_only=True)
class Moved(Entry):
    """What became of one entry: from which version to which."""

    fate: Literal["added", "updated", "deleted", "recorded"]
    before: int | None = field(default=None, metadata={"key": "from"})
    after: int | None = field(default=None, metadata={"key": "to"})


@dataclass(frozen=True, kw_only=True)
class Applied(Record):
    """What came of a change. Without moves everything was so already."""

    revision: int
    changeset: int | None = None
    moves: list[Moved] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
