"""Run stored functions by name: once, over many inputs, one after the other, side by side."""

from typing import Any

import selfmade


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "add", "input": {"a": 1, "b": 2}},
            "mocks": [{"function": "run", "output": 3}],
            "expect": {"output": 3},
        },
        {
            "name": "without input",
            "input": {"name": "now"},
            "mocks": [{"function": "run", "output": None}],
            "expect": {"output": None},
        },
    ],
)
def call_function(name: str, input: dict[str, Any] | None = None) -> Any:
    """Run a stored function by name, in a cell of its own, and return what it returns.

    Args:
        name: The function.
        input: Its arguments by name.
    """
    from selfmade import run

    return run(name, **(input or {}))


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "add", "input": {"a": 1, "b": 2}},
            "mocks": [{"function": "run", "output": 3}],
            "expect": {"output": {"ok": True, "output": 3}},
        },
        {
            "name": "a failure is an answer",
            "input": {"name": "add"},
            "expect": {
                "schema": {
                    "type": "object",
                    "required": ["ok", "error"],
                    "properties": {"ok": {"const": False}, "error": {"type": "string"}},
                }
            },
        },
    ],
)
def try_function(name: str, input: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run a stored function by name and say how it went, without failing when it fails.

    Args:
        name: The function.
        input: Its arguments by name.
    """
    from selfmade import Failed, Refused, run

    try:
        return {"ok": True, "output": run(name, **(input or {}))}
    except (Failed, Refused) as error:
        return {"ok": False, "error": str(error)}


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "double", "inputs": [{"n": 1}, {"n": 1}]},
            "mocks": [{"function": "try_function", "output": {"ok": True, "output": 2}}],
            "expect": {"output": [{"ok": True, "output": 2}, {"ok": True, "output": 2}]},
        },
        {"name": "no inputs", "input": {"name": "double", "inputs": []}, "expect": {"output": []}},
    ],
)
def map_function(name: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run a stored function once for each input, in order, and say how each went.

    Args:
        name: The function.
        inputs: One object of arguments for each run.
    """
    return [try_function(name, given) for given in inputs]


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"names": ["strip", "slugify"], "value": " A b "},
            "mocks": [{"function": "run", "output": "a-b"}],
            "expect": {"output": "a-b"},
        },
        {"name": "through nothing", "input": {"names": [], "value": 1}, "expect": {"output": 1}},
    ],
)
def pipe_functions(names: list[str], value: Any) -> Any:
    """Hand a value through stored functions one after the other: each gets what the one before returned.

    Args:
        names: The functions, in order. The value is the first argument of each.
        value: What the first one gets.
    """
    from selfmade import run

    for name in names:
        value = run(name, value)
    return value


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "add", "input": {"a": 1, "b": 2}},
            "mocks": [{"function": "run", "output": 3}],
            "expect": {"output": 3},
        },
        {
            "name": "it fails every time",
            "input": {"name": "add", "attempts": 2},
            "expect": {"error": {"type": "RuntimeError", "message": "failed 2 times"}},
        },
        {
            "name": "no attempt at all",
            "input": {"name": "add", "attempts": 0},
            "expect": {"error": {"type": "ValueError", "message": "at least 1"}},
        },
    ],
)
def retry_function(
    name: str, input: dict[str, Any] | None = None, attempts: int = 3, rest: float = 1.0
) -> Any:
    """Run a stored function until it succeeds, resting between the attempts, twice as long each time.

    Args:
        name: The function.
        input: Its arguments by name.
        attempts: How often to try in all.
        rest: Seconds to rest after the first failure.
    """
    from selfmade import Failed, Refused, run, sleep

    if attempts < 1:
        raise ValueError(f"attempts must be at least 1, but is {attempts}")
    for attempt in range(1, attempts + 1):
        try:
            return run(name, **(input or {}))
        except (Failed, Refused) as error:
            if attempt == attempts:
                raise RuntimeError(f"`{name}` failed {attempts} times, at last with: {error}") from error
        sleep(rest * 2 ** (attempt - 1))


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"left": "sum_a", "right": "sum_b", "inputs": [{"n": 1}]},
            "mocks": [{"function": "try_function", "output": {"ok": True, "output": 1}}],
            "expect": {"output": {"same": True, "tried": 1, "differences": []}},
        },
        {
            "name": "no inputs prove nothing",
            "input": {"left": "a", "right": "b", "inputs": []},
            "expect": {"error": {"type": "ValueError", "message": "at least one input"}},
        },
    ],
)
def compare_functions(left: str, right: str, inputs: list[dict[str, Any]]) -> dict[str, Any]:
    """Run two stored functions on the same inputs and tell where they differ.

    Args:
        left: One function.
        right: The other.
        inputs: What both get. That one fails where the other does not is a difference; how they fail is not.
    """
    if not inputs:
        raise ValueError("give at least one input to compare them on")
    differences = []
    for given in inputs:
        one, other = try_function(left, given), try_function(right, given)
        if one["ok"] != other["ok"] or one.get("output") != other.get("output"):
            differences.append({"input": given, left: one, right: other})
    return {"same": not differences, "tried": len(inputs), "differences": differences}
