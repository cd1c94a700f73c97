"""What a server keeps beside functions and runs: events, secrets, tokens, sessions, packs, insights, its health."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from selfmade._shape import Value
from selfmade.models.changeset import Applied
from selfmade.models.record import Record

Role = Literal["admin", "builder", "runner", "viewer"]


@dataclass(frozen=True, kw_only=True)
class Health(Record):
    """Whether a server and its database answer."""

    ok: bool
    revision: int
    version: str


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """A fact. `seq` counts up; a stream of events can be taken up after any of them."""

    seq: int
    kind: str
    source: str = ""
    actor: str = ""
    at: datetime | None = None
    data: Value = None


@dataclass(frozen=True, kw_only=True)
class Secret(Record):
    """A secret, without its value."""

    name: str
    hosts: list[str] = field(default_factory=list)
    created_at: datetime
    updated_at: datetime
    updated_by: str


@dataclass(frozen=True, kw_only=True)
class Token(Record):
    """A token, without its text unless it was just made."""

    name: str
    role: Role
    patterns: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    grants: list[str] = field(default_factory=list)
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Session(Record):
    """A browser that has signed in. `authority` says what it may do: its `role` and, if it is narrow, `only` which names."""

    name: str
    authority: dict[str, Any]
    created_at: datetime
    created_by: str
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Pack(Record):
    """Functions that were loaded together."""

    name: str
    origin: str = ""
    prefix: str = ""
    live_entries: int = 0
    loaded_at: datetime


@dataclass(frozen=True, kw_only=True)
class PackLoaded(Record):
    """What came of loading a pack."""

    pack: str
    applied: Applied
    unchanged: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Suggestion(Record):
    """What to do about how a function does."""

    about: str
    text: str
    weight: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Insight(Record):
    """How a function does."""

    name: str = ""
    runs: int = 0
    failed: int = 0
    timed_out: int = 0
    out_of_memory: int = 0
    cold: int = 0
    p50_us: int = 0
    p95_us: int = 0
    p99_us: int = 0
    total_us: int = 0
    suggestions: list[Suggestion] = field(default_factory=list)
