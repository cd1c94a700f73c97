"""Runs: one execution of a function, and everything that is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from selfmade._errors import RunCancelled, RunUnfinished, RunWaiting, run_failed
from selfmade._shape import Value
from selfmade._values import decode
from selfmade.models.record import Record

State = Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]
Ending = Literal["returned", "raised", "timed_out", "out_of_memory", "killed", "crashed", "broke_protocol", "lost"]


@dataclass(frozen=True, kw_only=True)
class Raised(Record):
    """An exception: its class, its text, and where it was raised."""

    type: str
    message: str
    traceback: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"


@dataclass(frozen=True, kw_only=True)
class Usage(Record):
    """What a run took."""

    wall_us: int = 0
    cpu_us: int = 0
    peak_memory_bytes: int = 0
    # Whether no cell was ready for it.
    cold: bool = False


@dataclass(frozen=True, kw_only=True)
class _AnyRun(Record):
    id: str = field(metadata={"key": "run_id"})
    name: str
    kind: str = "function"
    state: State
    ending: Ending | None = None
    error: Raised | None = None
    # Who started it.
    actor: str
    attempt: int = 1
    parent: str | None = None
    version: int | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in ("succeeded", "failed", "cancelled")

    @property
    def seconds(self) -> float | None:
        """How long it took, once it is over."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()

    def summary(self) -> str:
        """The run in a few words."""
        took = "" if self.seconds is None else f" in {self.seconds * 1000:.0f} ms"
        return f"run {self.id} of {self.name}: {self.state}{took}"


@dataclass(frozen=True, kw_only=True)
class RunLine(_AnyRun):
    """A run as lists show it. `who` is who started it, by name."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("id", "name", "state", "error", "who", "created_at", "seconds")

    who: str = ""
    duration_us: int | None = None
    # Among what a run led to: the run that started it, or whose end a trigger answered.
    above: str | None = None


@dataclass(frozen=True, kw_only=True)
class Run(_AnyRun):
    """A run with its input and output."""

    input: Value = None
    output: Value = None
    revision: int = 0
    usage: Usage | None = None
    waiting: dict[str, Any] | None = None

    @property
    def question(self) -> Any:
        """What it asks a person, if it waits for one."""
        return self._asked().get("question")

    @property
    def choices(self) -> list[Any] | None:
        """What the person may choose from, if the answer is not free."""
        return self._asked().get("options")

    def _asked(self) -> dict[str, Any]:
        asked = (self.waiting or {}).get("person", {}).get("question")
        return decode(asked) if isinstance(asked, dict) else {"question": asked}

    @property
    def asks(self) -> bool:
        """Whether it waits for a person."""
        return self.state == "waiting" and "person" in (self.waiting or {})

    def result(self) -> Any:
        """What the function returned.

        Raises:
            RunFailed: it failed; a built-in exception that it raised is raised as such.
            RunCancelled: it was cancelled.
            RunWaiting: it waits for a person.
            RunUnfinished: it goes on.
        """
        if self.state == "succeeded":
            return self.output
        if self.state == "failed":
            raise run_failed(self)
        if self.state == "cancelled":
            raise RunCancelled(self)
        raise RunWaiting(self) if self.asks else RunUnfinished(self)

    def shown(self) -> dict[str, Any]:
        """What somebody wants to see of it, by name."""
        return {
            "input": self.input,
            "output": self.output if self.state == "succeeded" else None,
            "ending": self.ending,
            "error": (self.error.traceback or str(self.error)) if self.error else None,
            "question": self.question,
            "started": self.started_at,
        }


@dataclass(frozen=True, kw_only=True)
class Call(Record):
    """One call of a function inside a run, in the same cell."""

    position: int
    function: str
    parent: int | None = None
    input: Value = None
    output: Value = None
    error: Raised | None = None
    started_at: datetime
    duration_us: int | None = None


@dataclass(frozen=True, kw_only=True)
class Step(Record):
    """One recorded effect of a run."""

    position: int
    # The thread or task that asked for it, and its place among the steps of that one.
    lane: str = "main"
    number: int = 0
    verb: str
    request: Value = None
    result: Value = None
    error: Raised | None = None
    # The run that it started.
    child: str | None = None
    started_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Printed(Record):
    """Something a run printed."""

    text: str
    stream: Literal["stdout", "stderr"] = "stdout"


@dataclass(frozen=True, kw_only=True)
class Loaded(Record):
    """A version that was loaded for a run."""

    name: str
    version: int
    live: bool = True


@dataclass(frozen=True, kw_only=True)
class NetworkRequest(Record):
    """A request that a run made to the network."""

    method: str
    scheme: str
    host: str
    port: int
    path: str
    status: int | None = None
    refused: str | None = None
    failure: str | None = None
    duration_us: int = 0


@dataclass(frozen=True, kw_only=True)
class Spent(Record):
    """What a run has spent. Of `tokens` that were measured, `input` were read, of which `cached` from a cache."""

    tokens: int = 0
    money: float = 0.0
    turns: int = 0
    functions: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0


@dataclass(frozen=True, kw_only=True)
class Spending(Record):
    """What a run may spend and has spent, by itself and with all that it started."""

    own: Spent
    total: Spent
    limits: dict[str, float] = field(default_factory=dict)
    reserved: dict[str, float] = field(default_factory=dict)
    deadline: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class RunRecord(Run):
    """Everything that is known of a run, and of what it led to."""

    who: str = ""
    calls: list[Call] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    printed: list[Printed] = field(default_factory=list)
    loaded: list[Loaded] = field(default_factory=list)
    requests: list[NetworkRequest] = field(default_factory=list)
    requests_left_out: int = 0
    below: list[RunLine] = field(default_factory=list)
    cancelled_by: str | None = None
    spending: Spending | None = None

    @property
    def text(self) -> str:
        """What it printed, both streams in their order."""
        return "".join(chunk.text for chunk in self.printed)

    def shown(self) -> dict[str, Any]:
        """What somebody wants to see of it, by name."""
        steps = [f"{step.position} {step.verb}" for step in self.steps]
        calls = [f"{call.function} {call.duration_us or 0} µs" for call in self.calls]
        return {**super().shown(), "printed": self.text, "who": self.who, "steps": steps, "calls": calls}
