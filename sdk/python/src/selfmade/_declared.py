"""The shapes of what a decorator may declare. How it is recorded is `_function`'s business."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class OutputExpected(TypedDict):
    """The function returns exactly this value."""

    output: Any


class PinsExpected(TypedDict):
    """The generator yields exactly these `[pin, value]` pairs, in this order."""

    pins: list[list[Any]]


class SchemaExpected(TypedDict):
    """The function returns a value that fits this JSON Schema."""

    schema: dict[str, Any]


class ExpectedError(TypedDict, total=False):
    """An exception: its class name, and a part of its text."""

    type: str
    message: str


class ErrorExpected(TypedDict):
    """The function raises this."""

    error: ExpectedError


Expectation = OutputExpected | PinsExpected | SchemaExpected | ErrorExpected


class Mock(TypedDict):
    """A dependency that answers with a fixed value while a test runs."""

    function: str
    output: Any


class _TestRequired(TypedDict):
    input: dict[str, Any]
    expect: Expectation


class Test(_TestRequired, total=False):
    """One input of a function and what must come of it."""

    name: str
    mocks: list[Mock]


class _RetriesRequired(TypedDict):
    attempts: int


class Retries(_RetriesRequired, total=False):
    """How often a function is tried in all, and how many seconds it rests in between, at first and at most."""

    first: float
    most: float


class Concurrency(TypedDict):
    """How many runs with the same value of a parameter go on at once at most."""

    limit: int
    key: str


class Budget(TypedDict, total=False):
    """The most that a run may spend with all that it starts."""

    money: float
    tokens: int
    turns: int
    functions: int
    seconds: int
    depth: int


class Declared(TypedDict, total=False):
    """What the decorator recorded, as found in a function's `__selfmade__`. Holds only what was written."""

    description: str
    dependencies: list[str]
    requirements: list[str]
    network: list[str]
    secrets: list[str]
    model: bool
    brain: Literal["read", "propose"]
    files: bool
    storage: Literal["read", "write"]
    timeout: float
    memory: str | int
    processes: int
    retries: int | Retries
    idempotent: bool
    isolation: Literal["fresh", "warm"]
    concurrency: int | Concurrency
    record: Literal["all", "errors", "sample", "none"]
    returns: Literal["warn", "error"]
    priority: int
    budget: float | Budget
    tests: list[Test]
    metadata: dict[str, Any]
