"""Examples and tests: calls with their results, read from text without running anything."""

import ast
import json
import math
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"example": "f(2, b='x') => [2, 'x']"}, "expect": {"output": {"args": [2], "named": {"b": "x"}, "expect": {"output": [2, "x"]}}}},
        {
            "name": "an error",
            "input": {"example": {"call": "f(n=-1)", "result": "raises ValueError"}},
            "expect": {"output": {"args": [], "named": {"n": -1}, "expect": {"error": {"type": "ValueError"}}}},
        },
        {
            "name": "in the form of tests",
            "input": {"example": {"input": {"n": 1}, "output": None}},
            "expect": {"output": {"args": [], "named": {"n": 1}, "expect": {"output": None}}},
        },
        {
            "name": "no code is run",
            "input": {"example": "f(open('/etc/passwd')) => 1"},
            "expect": {"error": {"type": "ValueError", "message": "write `f(2) => 4`"}},
        },
    ],
)
def parse_example(example: Any) -> dict[str, Any]:
    """Read an example: `f(2) => 4`, `{"call": "f(2)", "result": "4"}` or `{"input": {"n": 2}, "output": 4}`.

    Args:
        example: The example. Arguments and results are literals; `raises ValueError` is a result too.
    """

    def listed(value: Any) -> Any:
        """With tuples as lists: tests take either for a list, but only a tuple for a tuple."""
        if isinstance(value, dict):
            value = value["$tuple"] if set(value) == {"$tuple"} else {name: listed(part) for name, part in value.items()}
        return [listed(part) for part in value] if isinstance(value, list) else value

    if isinstance(example, dict) and "input" in example and ("output" in example or "expect" in example):
        expect = example.get("expect") or {"output": example.get("output")}
        return {"args": [], "named": dict(example["input"]), "expect": expect}
    if isinstance(example, dict):
        call, result = str(example.get("call", "")), str(example.get("result", ""))
    else:
        call, _, result = str(example).partition("=>")
    problem = ValueError(f"`{str(example)[:200]}` is not an example; write `f(2) => 4`, with literals")
    try:
        node = ast.parse(call.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or any(keyword.arg is None for keyword in node.keywords):
            raise problem
        args = [tag_value(ast.literal_eval(part)) for part in node.args]
        named = {str(keyword.arg): tag_value(ast.literal_eval(keyword.value)) for keyword in node.keywords}
        if result.strip().startswith("raises"):
            words = result.split()
            error = {"type": words[1].strip("`:.,")} if len(words) > 1 else {}
            return {"args": args, "named": named, "expect": {"error": error}}
        value = listed(tag_value(ast.literal_eval(result.strip())))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise problem from None
    return {"args": args, "named": named, "expect": {"output": value}}


@selfmade.function(
    tests=[
        {"input": {"value": {"a": [1, 2.5, None, "x"]}}, "expect": {"output": {"a": [1, 2.5, None, "x"]}}},
        {"name": "nothing and empty", "input": {"value": [None, [], {}]}, "expect": {"output": [None, [], {}]}},
    ],
)
def tag_value(value: Any) -> Any:
    """Write a Python value as tests have it: tuples, sets and bytes as objects with one key.

    Args:
        value: The value.
    """
    import base64

    if isinstance(value, tuple):
        return {"$tuple": [tag_value(part) for part in value]}
    if isinstance(value, (set, frozenset)):
        parts = [tag_value(part) for part in value]
        return {"$set": sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        if all(isinstance(name, str) for name in value):
            return {name: tag_value(part) for name, part in value.items()}
        return {"$dict": [[tag_value(name), tag_value(part)] for name, part in value.items()]}
    if isinstance(value, list):
        return [tag_value(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"`{value}` cannot be written in a test")
        return value
    raise ValueError(f"a value of type `{type(value).__name__}` cannot be written in a test")


@selfmade.function(
    tests=[
        {"input": {"value": {"a": [{"$dict": [["b", 1]]}]}}, "expect": {"output": {"a": [{"b": 1}]}}},
        {"name": "what JSON has stays", "input": {"value": [1, None, "x"]}, "expect": {"output": [1, None, "x"]}},
    ],
)
def untag_value(value: Any) -> Any:
    """Read a value as tests write it: the opposite of `tag_value`.

    Args:
        value: The value.
    """
    import base64

    if isinstance(value, list):
        return [untag_value(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$tuple"}:
        return tuple(untag_value(part) for part in value["$tuple"])
    if set(value) == {"$set"}:
        return {untag_value(part) for part in value["$set"]}
    if set(value) == {"$bytes"} and isinstance(value["$bytes"], str):
        return base64.b64decode(value["$bytes"])
    if set(value) == {"$dict"}:
        return {untag_value(name): untag_value(part) for name, part in value["$dict"]}
    return {name: untag_value(part) for name, part in value.items()}


@selfmade.function(
    tests=[
        {"input": {"left": [1, {"a": 2.0}], "right": [1.0, {"a": 2}]}, "expect": {"output": True}},
        {"name": "a list and a tuple", "input": {"left": [1, 2], "right": {"$tuple": [1, 2]}}, "expect": {"output": True}},
        {"name": "sums of fractions", "input": {"left": 0.30000000000000004, "right": 0.3}, "expect": {"output": True}},
        {"name": "true is not one", "input": {"left": True, "right": 1}, "expect": {"output": False}},
    ],
)
def same_value(left: Any, right: Any) -> bool:
    """Say whether two results are the same: lists equal tuples, and numbers need not agree in the last digits.

    Args:
        left: One value, as tests write it.
        right: The other.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"$tuple"}:
            return value["$tuple"]
        return list(value) if isinstance(value, tuple) else value

    left, right = plain(left), plain(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or (
            isinstance(left, float) or isinstance(right, float)
        ) and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[name], right[name]) for name in left)
    return type(left) is type(right) and left == right


@selfmade.function(
    tests=[
        {"input": {"expect": {"output": 4}, "got": {"output": 4}}, "expect": {"output": True}},
        {"name": "the right error", "input": {"expect": {"error": {"type": "ValueError"}}, "got": {"error": "ValueError", "message": "no"}}, "expect": {"output": True}},
        {"name": "an error instead of a value", "input": {"expect": {"output": 4}, "got": {"error": "KeyError", "message": "a"}}, "expect": {"output": False}},
    ],
)
def meets_expectation(expect: dict[str, Any], got: dict[str, Any]) -> bool:
    """Say whether what came of a call is what a test expects.

    Args:
        expect: `{"output": value}` or `{"error": {"type": …, "message": …}}`.
        got: `{"output": value}` or `{"error": type, "message": text}`.
    """
    if "error" in expect:
        wanted = expect["error"] or {}
        return (
            "error" in got
            and wanted.get("type") in (None, got["error"], got["error"].rpartition(".")[2])
            and (wanted.get("message") or "") in got.get("message", "")
        )
    return "output" in expect and "output" in got and same_value(expect["output"], got["output"])


@selfmade.function(
    tests=[
        {
            "input": {"example": {"args": [2], "named": {"b": 3}, "expect": {"output": 5}}, "parameters": ["a", "b"]},
            "expect": {"output": {"input": {"a": 2, "b": 3}, "expect": {"output": 5}}},
        },
        {
            "name": "too many arguments",
            "input": {"example": {"args": [2, 3], "named": {}, "expect": {"output": 5}}, "parameters": ["a"]},
            "expect": {"error": {"type": "ValueError", "message": "takes 1 argument"}},
        },
        {
            "name": "an argument that is no parameter",
            "input": {"example": {"args": [], "named": {"x": 1}, "expect": {"output": 5}}, "parameters": ["a"]},
            "expect": {"error": {"type": "ValueError", "message": "`x`"}},
        },
    ],
)
def name_arguments(example: dict[str, Any], parameters: list[str]) -> dict[str, Any]:
    """Turn an example into a test: each argument under the name of its parameter.

    Args:
        example: What `parse_example` returns.
        parameters: The names of the parameters, in order.
    """
    if len(example["args"]) > len(parameters):
        raise ValueError(f"the function takes {len(parameters)} argument(s), and an example gives {len(example['args'])}")
    given = dict(zip(parameters, example["args"]))
    for name, value in example["named"].items():
        if name not in parameters or name in given:
            raise ValueError(f"an example gives the argument `{name}`, and the parameters are {', '.join(parameters)}")
        given[name] = value
    return {"input": given, "expect": example["expect"]}


@selfmade.function(
    tests=[
        {"input": {"name": "f", "test": {"input": {"a": 2, "b": "x"}, "expect": {"output": [2]}}}, "expect": {"output": "f(a=2, b='x') => [2]"}},
        {"name": "an error", "input": {"name": "f", "test": {"input": {}, "expect": {"error": {"type": "ValueError"}}}}, "expect": {"output": "f() => raises ValueError"}},
    ],
)
def write_example(name: str, test: dict[str, Any]) -> str:
    """Write a test as one line: the call and its result.

    Args:
        name: The function.
        test: `{"input": …, "expect": …}`.
    """

    def literal(value: Any) -> str:
        if isinstance(value, dict) and set(value) == {"$tuple"}:
            inside = ", ".join(map(literal, value["$tuple"]))
            return f"({inside},)" if len(value["$tuple"]) == 1 else f"({inside})"
        if isinstance(value, dict) and set(value) == {"$set"}:
            return "{" + ", ".join(map(literal, value["$set"])) + "}" if value["$set"] else "set()"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {literal(part)}" for key, part in value.items()) + "}"
        return "[" + ", ".join(map(literal, value)) + "]" if isinstance(value, list) else repr(value)

    given = ", ".join(f"{key}={literal(value)}" for key, value in test["input"].items())
    expect = test["expect"]
    if "error" in expect:
        result = f"raises {(expect['error'] or {}).get('type') or 'an error'}"
    else:
        result = literal(expect["output"]) if "output" in expect else json.dumps(expect, sort_keys=True)
    return f"{name}({given}) => {result}"
