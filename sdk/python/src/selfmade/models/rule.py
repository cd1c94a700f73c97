"""Triggers and schedules: the rules by which runs start by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from selfmade.models.record import Record


@dataclass(frozen=True, kw_only=True)
class Firing(Record):
    """What a trigger did about one event: the run it started, or what stopped it."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("seq", "kind", "source", "at", "run", "stopped")

    seq: int
    # None once the event is no longer kept.
    kind: str | None = None
    source: str
    at: datetime
    run: str | None = field(default=None, metadata={"key": "run_id"})
    stopped: str | None = None


@dataclass(frozen=True, kw_only=True)
class TriggerContent(Record):
    """When an event matches, start a run."""

    target: str
    on: str
    source: str | None = None
    condition: str | None = None
    input: dict[str, Any] | None = None
    rate_limit: dict[str, Any] | None = None
    debounce_ms: int | None = None
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class TriggerLine(Record):
    """A trigger as lists show it."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("name", "target", "on", "enabled", "fired", "stopped", "last_fired")

    name: str
    content: TriggerContent
    enabled: bool = True
    fired: int = 0
    stopped: int = 0
    last_fired: datetime | None = None
    version: int = 1

    @property
    def target(self) -> str:
        """The function it runs."""
        return self.content.target

    @property
    def on(self) -> str:
        """The kind of events it watches."""
        return self.content.on


@dataclass(frozen=True, kw_only=True)
class Trigger(TriggerLine):
    """A trigger with what it did lately. It runs by the access of `under`, whoever applied it."""

    firings: list[Firing] = field(default_factory=list)
    written_at: datetime
    written_by: str
    who: str = ""
    under: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rehearsal(Record):
    """What a trigger would have fired on."""

    events: int
    fires: int
    since: datetime
    complete: bool = True
    verdicts: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ScheduleContent(Record):
    """At these times, in this zone, start a run."""

    target: str
    times: dict[str, Any]
    zone: str = "UTC"
    input: dict[str, Any] = field(default_factory=dict)
    missed: str = "once"
    overlap: str = "allow"
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class ScheduleLine(Record):
    """A schedule as lists show it."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("name", "target", "times", "paused", "next", "started", "skipped")

    name: str
    content: ScheduleContent
    paused: bool = False
    next: datetime | None = None
    started: int = 0
    skipped: int = 0
    last_started: datetime | None = None
    version: int = 1

    @property
    def target(self) -> str:
        """The function it runs."""
        return self.content.target

    @property
    def times(self) -> str:
        """When, as it was written."""
        return " ".join(str(value) for value in self.content.times.values())


@dataclass(frozen=True, kw_only=True)
class Tick(Record):
    """What became of one time of a schedule."""

    at: datetime
    run: str | None = field(default=None, metadata={"key": "run_id"})
    skipped: str | None = None


@dataclass(frozen=True, kw_only=True)
class Schedule(ScheduleLine):
    """A schedule with its next times and its last ticks. It runs by the access of `under`, whoever applied it."""

    next_times: list[datetime] = field(default_factory=list)
    ticks: list[Tick] = field(default_factory=list)
    written_at: datetime
    written_by: str
    who: str = ""
    under: str | None = None
