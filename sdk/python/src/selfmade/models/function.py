"""Functions and their versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from selfmade.models.record import Record


@dataclass(frozen=True, kw_only=True)
class FunctionLine(Record):
    """A function as lists show it."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("name", "description", "version", "pack", "written_at")

    name: str
    description: str = ""
    version: int
    pack: str | None = None
    written_at: datetime
    written_by: str


@dataclass(frozen=True, kw_only=True)
class Parameter(Record):
    """A parameter of a function, as the server understands it."""

    name: str
    kind: str = "positional"
    annotation: str | None = None
    description: str | None = None
    required: bool = False
    schema: Any = None
    default: dict[str, Any] | None = None

    def __str__(self) -> str:
        stars = {"var_positional": "*", "var_keyword": "**"}.get(self.kind, "")
        text = f"{stars}{self.name}" + (f": {self.annotation}" if self.annotation else "")
        if not self.default:
            return text
        [value] = self.default.values()
        return f"{text} = {value if 'expression' in self.default else repr(value)}"


@dataclass(frozen=True, kw_only=True)
class Signature(Record):
    """What a function takes and gives: parameters, and JSON Schemas of input and output."""

    parameters: list[Parameter] = field(default_factory=list)
    returns: str | None = None
    kind: str = "sync"
    input: Any = None
    output: Any = None

    def __str__(self) -> str:
        taken = ", ".join(str(parameter) for parameter in self.parameters)
        return f"({taken}) -> {self.returns}" if self.returns else f"({taken})"


@dataclass(frozen=True, kw_only=True)
class Dependency(Record):
    """Another function that a function calls."""

    function: str
    alias: str
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Requirement(Record):
    """A Python package that a function imports."""

    package: str
    module: str = field(default="", metadata={"key": "import"})


@dataclass(frozen=True, kw_only=True)
class Content(Record):
    """What a version of a function consists of."""

    source: str = ""
    # `babyagi` for a function in BabyAGI's form.
    dialect: str = "selfmade"
    description: str = ""
    docstring: str = ""
    signature: Signature = field(default_factory=Signature)
    dependencies: list[Dependency] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    grants: dict[str, Any] = field(default_factory=dict)
    running: dict[str, Any] = field(default_factory=dict)
    tests: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Entry(Record):
    """A function, graph, trigger or schedule by its name."""

    kind: str
    name: str


@dataclass(frozen=True, kw_only=True)
class VersionLine(Record):
    """A version as lists show it. `who` is who wrote it, by name."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("version", "live", "written_at", "who")

    name: str
    version: int = field(metadata={"key": "number"})
    live: bool = False
    live_before: int | None = None
    content_hash: str = ""
    written_at: datetime
    written_by: str
    who: str = ""


@dataclass(frozen=True, kw_only=True)
class Function(VersionLine):
    """One version of a function, with who calls it."""

    content: Content
    dependents: list[Entry] = field(default_factory=list)
    started_by: list[Entry] = field(default_factory=list)

    @property
    def source(self) -> str:
        """Its Python."""
        return self.content.source

    @property
    def description(self) -> str:
        """What it does, in a line."""
        return self.content.description

    @property
    def signature(self) -> Signature:
        """What it takes and gives."""
        return self.content.signature

    def summary(self) -> str:
        """The function in a few words."""
        return f"{self.name}{self.signature} version {self.version}{', live' if self.live else ''}"

    def shown(self) -> dict[str, Any]:
        """What somebody wants to see of it, by name."""
        content = self.content
        return {
            "description": content.description,
            "source": content.source,
            "calls": [one.function for one in content.dependencies],
            "called by": [one.name for one in self.dependents],
            "requirements": [one.package for one in content.requirements],
            "grants": content.grants,
            "tests": len(content.tests) or None,
            "written": f"{self.written_at:%Y-%m-%d %H:%M} by {self.who or self.written_by}",
        }


@dataclass(frozen=True, kw_only=True)
class Dependent(Entry):
    """Something that may break if a function is changed."""

    distance: int = 1
    role: str = "calls"
    tests: int | None = None


@dataclass(frozen=True, kw_only=True)
class Impact(Record):
    """What may break if a function is changed, and how many tests would tell."""

    function: str
    dependents: list[Dependent] = field(default_factory=list)
    tests: int = 0


@dataclass(frozen=True, kw_only=True)
class Hit(Record):
    """A function or graph that was found."""

    name: str
    kind: str = "function"
    description: str = ""
    score: float = 0.0
