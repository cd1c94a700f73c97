"""The decorator `selfmade.function`: records what is declared, and returns a function whose calls are runs."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from inspect import isfunction
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from selfmade._declared import Budget, Concurrency, Retries, Test
from selfmade._managed import ManagedFunction
from selfmade._plain import is_plain

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """What `selfmade.function(…)` returns."""

    def __call__(self, fn: Callable[P, R], /) -> ManagedFunction[P, R]: ...


def _is_list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_count(value: Any) -> bool:
    # A bool is an int to Python, but `processes=True` is a slip.
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _is_retries(value: Any) -> bool:
    if not isinstance(value, dict):
        return value == 0 or _is_count(value)
    seconds = [value[key] for key in ("first", "most") if key in value]
    known = set(value) <= {"attempts", "first", "most"}
    return known and _is_count(value.get("attempts")) and all(_is_seconds(rest) for rest in seconds)


def _is_concurrency(value: Any) -> bool:
    if not isinstance(value, dict):
        return _is_count(value)
    return set(value) == {"limit", "key"} and _is_count(value["limit"]) and isinstance(value["key"], str)


def _is_priority(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -100 <= value <= 100


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_budget(value: Any) -> bool:
    if not isinstance(value, dict):
        return _is_amount(value)
    whole = all(isinstance(amount, int) for name, amount in value.items() if name != "money")
    known = set(value) <= {"money", "tokens", "turns", "functions", "seconds", "depth"}
    return bool(value) and known and whole and all(_is_amount(amount) for amount in value.values())


# Each keyword with what its value must be, in the words of the error, and the test of it.
_KEYWORDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "description": ("a string", lambda value: isinstance(value, str)),
    "dependencies": ("a list of strings", _is_list_of(str)),
    "requirements": ("a list of strings", _is_list_of(str)),
    "network": ("a list of strings", _is_list_of(str)),
    "secrets": ("a list of strings", _is_list_of(str)),
    "model": ("a bool", lambda value: isinstance(value, bool)),
    "brain": ('"read" or "propose"', lambda value: value in ("read", "propose")),
    "files": ("a bool", lambda value: isinstance(value, bool)),
    "storage": ('"read" or "write"', lambda value: value in ("read", "write")),
    "timeout": ("a positive number of seconds", _is_seconds),
    "memory": (
        'a size such as "256MB" or a positive number of bytes',
        lambda value: isinstance(value, str) or _is_count(value),
    ),
    "processes": ("a positive whole number", _is_count),
    "retries": (
        'the number of retries, or {"attempts": tries in total, "first": seconds, "most": seconds}',
        lambda value: not isinstance(value, bool) and _is_retries(value),
    ),
    "idempotent": ("a bool", lambda value: isinstance(value, bool)),
    "isolation": ('"fresh" or "warm"', lambda value: value in ("fresh", "warm")),
    "concurrency": ('a positive whole number, or {"limit": number, "key": "parameter"}', _is_concurrency),
    "record": (
        '"all", "errors", "sample" or "none"',
        lambda value: value in ("all", "errors", "sample", "none"),
    ),
    "returns": ('"warn" or "error"', lambda value: value in ("warn", "error")),
    "priority": ("an integer from -100 to 100", _is_priority),
    "budget": (
        "a number of dollars, or a dict with any of `money`, `tokens`, `turns`, `functions`, `seconds` and `depth`",
        _is_budget,
    ),
    "tests": ("a list of dicts", _is_list_of(dict)),
    "metadata": ("a dict", lambda value: isinstance(value, dict)),
}


@overload
def function(fn: Callable[P, R], /) -> ManagedFunction[P, R]: ...


@overload
def function(
    *,
    description: str = ...,
    dependencies: list[str] = ...,
    requirements: list[str] = ...,
    network: list[str] = ...,
    secrets: list[str] = ...,
    model: bool = ...,
    brain: Literal["read", "propose"] = ...,
    files: bool = ...,
    storage: Literal["read", "write"] = ...,
    timeout: float = ...,
    memory: str | int = ...,
    processes: int = ...,
    retries: int | Retries = ...,
    idempotent: bool = ...,
    isolation: Literal["fresh", "warm"] = ...,
    concurrency: int | Concurrency = ...,
    record: Literal["all", "errors", "sample", "none"] = ...,
    returns: Literal["warn", "error"] = ...,
    priority: int = ...,
    budget: float | Budget = ...,
    tests: list[Test] = ...,
    metadata: dict[str, Any] = ...,
) -> Decorator: ...


def function(fn: Any = None, /, **declared: Any) -> Any:
    """Mark a function as one that selfmade stores, and declare what it needs.

    Use it bare, or with keyword arguments, all optional and all literals, because the server reads the file
    without running it. What is declared adds to or overrides what the server finds in the source by itself.

        import selfmade

        @selfmade.function(
            network=["api.example.com"],
            timeout=20,
            tests=[
                {
                    "input": {"city": "Oslo"},
                    "expect": {"schema": {"type": "number"}},
                },
                {
                    "name": "a city is needed",
                    "input": {"city": ""},
                    "expect": {"error": {"type": "ValueError", "message": "city"}},
                },
            ],
        )
        def temperature(city: str) -> float:
            \"\"\"Look up the temperature in a city, in degrees Celsius.\"\"\"
            ...

    Calling what is returned is a run on the server; see `ManagedFunction`. Nothing is sent before the first call. What
    was declared is in its attribute `__selfmade__`. Inside `selfmade.plain()` the function itself is returned.

    Args:
        description: one line; the docstring's first line unless given.
        dependencies: other Functions it calls: "name", "name@3" to pin, "pack.name as alias" to rename.
        requirements: Python packages it imports, as PEP 508 strings such as "requests>=2.31".
        network: host names it may reach.
        secrets: names of the secrets it is handed.
        model: whether it may use the language model.
        brain: "read" to look at stored Functions, "propose" to suggest changes to them as well.
        files: whether it may keep files.
        storage: "read" if it may read values that outlive runs, "write" if it may also change them.
        timeout: seconds after which it is stopped.
        memory: the most it may use, as "256MB" or in bytes.
        processes: how many processes it may have.
        retries: the number of retries after a failure, or {"attempts": tries in total, "first": seconds,
            "most": seconds}: the rests double from the first up to the most.
        idempotent: whether running it twice does no more than once, so that it may be run again after its
            server was lost.
        isolation: "fresh" for a process of its own for each run, also in graphs, "warm" for one that is used again.
        concurrency: how many of its runs go on at once at most, or {"limit": number, "key": "parameter"} to count
            those with the same value of a parameter.
        record: of which runs inputs, outputs and calls are kept: "all", "errors", "sample" (errors and 1 in 100)
            or "none".
        returns: what comes of a returned value that does not fit the annotation: "warn" records a warning, "error"
            fails the run.
        priority: from -100 to 100; of runs that wait, the highest goes first.
        budget: the most dollars that a run may spend with all that it starts, or a limit each for any of `money`
            (dollars), `tokens`, `turns`, `functions`, `seconds` and `depth`.
        tests: `{"input": {...}, "expect": ...}`, optionally with "name", "mocks" and
            "kind" ("exact", "generated" or "regression"). Expected is one of
            {"output": value}, {"pins": [[pin, value], ...]}, {"schema": {...}} and
            {"error": {"type": "ValueError", "message": "part of the text"}}.
            Mocks are `{"function": name, "output": value}`.
        metadata: anything else, kept with the Function.

    Raises:
        TypeError: a keyword is unknown or its value is of the wrong kind.
    """
    for keyword, value in declared.items():
        _check(keyword, value)

    def record(target: Any) -> Any:
        if not isfunction(target):
            raise TypeError(f"selfmade.function decorates a `def` or `async def`, not {target!r}")
        if not is_plain():
            return ManagedFunction(target, declared)
        target.__selfmade__ = declared  # type: ignore[attr-defined]
        return target

    return record if fn is None else record(fn)


def _check(keyword: str, value: Any) -> None:
    if keyword not in _KEYWORDS:
        near = get_close_matches(keyword, _KEYWORDS, n=1, cutoff=0.7)
        meant = f"did you mean `{near[0]}`?" if near else f"it takes {', '.join(_KEYWORDS)}"
        raise TypeError(f"selfmade.function has no keyword `{keyword}`; {meant}")
    wanted, fits = _KEYWORDS[keyword]
    if not fits(value):
        raise TypeError(f"`{keyword}` of selfmade.function must be {wanted}, not {value!r}")
