"""Nested values: their parts, their shape, what is wrong with them."""

import json
import re
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"value": {"user": {"tags": ["a", "b"]}}, "path": "user.tags[1]"},
            "expect": {"output": "b"},
        },
        {
            "name": "from the end, and of each",
            "input": {"value": {"items": [{"id": 1}, {"id": 2}]}, "path": "items[*].id"},
            "expect": {"output": [1, 2]},
        },
        {
            "name": "what is not there",
            "input": {"value": {"a": 1}, "path": "a.b", "default": 0},
            "expect": {"output": 0},
        },
        {
            "name": "a path that is none",
            "input": {"value": {}, "path": "a[x]"},
            "expect": {"error": {"type": "ValueError", "message": "a[x]"}},
        },
    ],
)
def pick(value: Any, path: str, default: Any = None) -> Any:
    """Take a part out of nested objects and lists by its path, such as `user.tags[0]` or `items[*].id`.

    Args:
        value: The whole.
        path: Names joined by dots, places in brackets (`[-1]` is the last), `[*]` for each.
        default: What to return where there is no such part.
    """
    steps: list[Any] = []
    for name, place in re.findall(r"([^.\[\]]+)|\[(-?\d+|\*)\]", path):
        steps.append(name or (place if place == "*" else int(place)))
    spelt = "".join(f".{step}" if isinstance(step, str) and step != "*" else f"[{step}]" for step in steps)
    if spelt.lstrip(".") != path.lstrip("."):
        raise ValueError(f"`{path}` is no path; write names, dots and places, such as `user.tags[0]`")

    def walk(at: Any, position: int) -> Any:
        if position == len(steps):
            return at
        step = steps[position]
        if step == "*":
            items = at if isinstance(at, list) else list(at.values()) if isinstance(at, dict) else []
            return [walk(item, position + 1) for item in items]
        if isinstance(step, int) and isinstance(at, list) and -len(at) <= step < len(at):
            return walk(at[step], position + 1)
        if isinstance(step, str) and isinstance(at, dict) and step in at:
            return walk(at[step], position + 1)
        return default

    return walk(value, 0)


@selfmade.function(
    tests=[
        {
            "input": {"record": {"id": 1, "user": {"name": "Ada", "tags": ["x", "y"]}}},
            "expect": {"output": {"id": 1, "user.name": "Ada", "user.tags.0": "x", "user.tags.1": "y"}},
        },
        {
            "name": "what is empty stays",
            "input": {"record": {"a": {}, "b": []}, "separator": "_"},
            "expect": {"output": {"a": {}, "b": []}},
        },
    ],
)
def flatten_record(record: dict[str, Any], separator: str = ".") -> dict[str, Any]:
    """Make a nested object flat, so that it can be a row: `{"a": {"b": 1}}` becomes `{"a.b": 1}`.

    Args:
        record: The nested object; items of lists are named by their place.
        separator: What joins the names.
    """
    flat: dict[str, Any] = {}

    def put(value: Any, name: str) -> None:
        if isinstance(value, dict) and value:
            parts = value.items()
        elif isinstance(value, list) and value:
            parts = enumerate(value)
        else:
            flat[name] = value
            return
        for key, part in parts:
            put(part, f"{name}{separator}{key}" if name else str(key))

    put(record, "")
    return flat if record else {}


@selfmade.function(
    tests=[
        {
            "input": {
                "value": {"name": "", "age": -1, "tags": ["a", 2], "x": 1},
                "schema": {
                    "type": "object",
                    "required": ["name", "mail"],
                    "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string", "minLength": 1},
                        "age": {"type": "integer", "minimum": 0},
                        "mail": {"type": "string"},
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                },
            },
            "expect": {
                "output": [
                    "`mail` is missing",
                    "`age` is -1, and the least is 0",
                    "`name` is shorter than 1",
                    "`tags[1]` must be string, not integer",
                    "`x` is not expected",
                ]
            },
        },
        {
            "name": "all is well",
            "input": {
                "value": [1, None],
                "schema": {"type": "array", "items": {"type": ["integer", "null"]}, "maxItems": 2},
            },
            "expect": {"output": []},
        },
        {
            "name": "a word that is not understood is not passed over",
            "input": {"value": 1, "schema": {"multipleOf": 2}},
            "expect": {"error": {"type": "ValueError", "message": "`multipleOf`"}},
        },
    ],
)
def validate_json(value: Any, schema: dict[str, Any]) -> list[str]:
    """Check a value against a JSON Schema and list what is wrong with it; an empty list means nothing is.

    Args:
        value: The value.
        schema: The schema, with the everyday words: type, properties, required, additionalProperties (true or
            false), items, enum, const, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern.
    """
    problems: list[str] = []

    def kind(value: Any) -> str:
        if value is None:
            return "null"
        names = {
            bool: "boolean",
            int: "integer",
            float: "number",
            str: "string",
            list: "array",
            dict: "object",
        }
        return names.get(type(value), type(value).__name__)

    def check(value: Any, schema: dict[str, Any], place: str) -> None:
        words = set(schema) - {
            "title",
            "description",
            "default",
            "examples",
            "$schema",
            "properties",
            "additionalProperties",
        }
        shown = f"`{place or 'the value'}`"
        wanted = schema.get("type")
        allowed = [wanted] if isinstance(wanted, str) else wanted or []
        if allowed and kind(value) not in allowed and not (kind(value) == "integer" and "number" in allowed):
            problems.append(f"{shown} must be {' or '.join(allowed)}, not {kind(value)}")
            return
        numeric = kind(value) in ("integer", "number")
        rules = {
            "type": lambda _: None,
            "enum": lambda choices: (
                None if value in choices else f"{shown} must be one of {json.dumps(choices)}"
            ),
            "const": lambda only: None if value == only else f"{shown} must be {json.dumps(only)}",
            "minimum": lambda least: (
                f"{shown} is {value}, and the least is {least}" if numeric and value < least else None
            ),
            "maximum": lambda most: (
                f"{shown} is {value}, and the most is {most}" if numeric and value > most else None
            ),
            "minLength": lambda n: (
                f"{shown} is shorter than {n}" if isinstance(value, str) and len(value) < n else None
            ),
            "maxLength": lambda n: (
                f"{shown} is longer than {n}" if isinstance(value, str) and len(value) > n else None
            ),
            "minItems": lambda n: (
                f"{shown} has fewer than {n} items" if isinstance(value, list) and len(value) < n else None
            ),
            "maxItems": lambda n: (
                f"{shown} has more than {n} items" if isinstance(value, list) and len(value) > n else None
            ),
            "pattern": lambda p: (
                f"{shown} does not fit {p}" if isinstance(value, str) and not re.search(p, value) else None
            ),
            "required": lambda _: None,
            "items": lambda _: None,
        }
        unknown = words - set(rules)
        if unknown:
            raise ValueError(f"the schema says `{sorted(unknown)[0]}`, which is not understood here")
        problems.extend(problem for word in sorted(words) if (problem := rules[word](schema[word])))
        if isinstance(value, dict):
            fields(value, schema, place)
        if isinstance(value, list) and "items" in schema:
            for position, item in enumerate(value):
                check(item, schema["items"], f"{place}[{position}]")

    def fields(value: dict[str, Any], schema: dict[str, Any], place: str) -> None:
        known = schema.get("properties", {})
        at = f"{place}." if place else ""
        problems.extend(
            f"`{at}{name}` is missing" for name in schema.get("required", []) if name not in value
        )
        for name in sorted(value):
            if name in known:
                check(value[name], known[name], at + name)
            elif schema.get("additionalProperties") is False:
                problems.append(f"`{at}{name}` is not expected")

    check(value, schema, "")
    return problems


@selfmade.function(
    tests=[
        {"input": {"items": [1, 2, 3, 4, 5], "size": 2}, "expect": {"output": [[1, 2], [3, 4], [5]]}},
        {"name": "nothing", "input": {"items": [], "size": 2}, "expect": {"output": []}},
        {
            "name": "no size",
            "input": {"items": [1], "size": 0},
            "expect": {"error": {"type": "ValueError", "message": "at least 1"}},
        },
    ],
)
def split_batches(items: list[Any], size: int) -> list[list[Any]]:
    """Split a list into parts of a size; the last one may be shorter.

    Args:
        items: The list.
        size: The most that one part has.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, but is {size}")
    return [items[start : start + size] for start in range(0, len(items), size)]
