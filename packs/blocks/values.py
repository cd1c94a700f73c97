"""Blocks for single values: converting, calculating, counting and comparing them.

A parameter whose default is `...` takes null as a value like any other: only what is neither linked nor given is
left out.
"""

import json
import math
from collections.abc import Iterator
from typing import Any, Literal

import selfmade


@selfmade.function(
    tests=[
        {"input": {"text": "Hello"}, "expect": {"pins": [["status", "printed"]]}},
        {"name": "any value", "input": {"text": {"a": 0}}, "expect": {"pins": [["status", "printed"]]}},
    ],
)
def print_text(text: Any) -> Iterator[tuple[str, str]]:
    """Print a value, so that it is in the record of the run.

    Args:
        text: What to print; what is no text is written as JSON.
    """
    print(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))
    yield "status", "printed"


@selfmade.function(
    tests=[
        {"input": {"value": True, "kind": "string"}, "expect": {"pins": [["value", "true"]]}},
        {
            "name": "falsy values are values",
            "input": {"value": 0, "kind": "list"},
            "expect": {"pins": [["value", [0]]]},
        },
        {
            "name": "JSON in a text is read",
            "input": {"value": '{"a": 1}', "kind": "dictionary"},
            "expect": {"pins": [["value", {"a": 1}]]},
        },
        {
            "name": "what is no number is no zero",
            "input": {"value": "x", "kind": "number"},
            "expect": {"error": {"type": "ValueError", "message": "`x` is not a number"}},
        },
    ],
)
def convert_value(
    value: Any, kind: Literal["string", "number", "boolean", "list", "dictionary"]
) -> Iterator[tuple[str, Any]]:
    """Convert a value to another type, or say why that cannot be done.

    Args:
        value: The value.
        kind: The type. As numbers, lists and objects count their entries. As lists, objects are pairs and single
            values lists of one; as objects, lists are keyed by index and single values by `value`.
    """

    def parsed(kind: type) -> Any:
        try:
            read = json.loads(value) if isinstance(value, str) else None
        except ValueError:
            return None
        return read if isinstance(read, kind) else None

    def number() -> int | float:
        if isinstance(value, (list, dict)):
            return len(value)
        try:
            read = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"`{value}` is not a number") from None
        return int(read) if read.is_integer() else read

    def boolean() -> bool:
        if not isinstance(value, str):
            return bool(value)
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}
        word = value.strip().lower()
        if word not in words:
            raise ValueError(f"`{value}` is neither true nor false")
        return words[word]

    def items() -> list[Any]:
        if isinstance(value, dict):
            return [[key, item] for key, item in value.items()]
        read = parsed(list)
        return value if isinstance(value, list) else [value] if read is None else read

    def fields() -> dict[str, Any]:
        if isinstance(value, list):
            return {str(index): item for index, item in enumerate(value)}
        read = parsed(dict)
        return value if isinstance(value, dict) else {"value": value} if read is None else read

    if kind == "string":
        converted: Any = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    else:
        converted = {"number": number, "boolean": boolean, "list": items, "dictionary": fields}[kind]()
    yield "value", converted


@selfmade.function(
    tests=[
        {"input": {"operation": "Add", "a": 4, "b": 5}, "expect": {"pins": [["result", 9]]}},
        {
            "name": "rounded",
            "input": {"operation": "Divide", "a": 5, "b": 3, "round_result": True},
            "expect": {"pins": [["result", 2]]},
        },
        {
            "name": "nothing can be divided by 0",
            "input": {"operation": "Divide", "a": 1, "b": 0},
            "expect": {"error": {"type": "ZeroDivisionError", "message": "1 cannot be divided by 0"}},
        },
        {
            "name": "a root that is no real number",
            "input": {"operation": "Power", "a": -1, "b": 0.5},
            "expect": {"error": {"type": "ValueError", "message": "is not a real number"}},
        },
    ],
)
def calculate(
    operation: Literal["Add", "Subtract", "Multiply", "Divide", "Power"],
    a: float,
    b: float,
    round_result: bool = False,
) -> Iterator[tuple[str, float]]:
    """Calculate with two numbers.

    Args:
        operation: What to do.
        a: The first number.
        b: The second number.
        round_result: Whether to round to a whole number.
    """
    if operation == "Divide" and b == 0:
        raise ZeroDivisionError(f"{a} cannot be divided by 0")
    if operation == "Power":
        found = pow(float(a), float(b)) if a or b >= 0 else math.inf
        if isinstance(found, complex) or math.isinf(found):
            raise ValueError(f"{a} to the power of {b} is not a real number")
        # Whole numbers stay exact where a float would not be, as far as that is of any use.
        result: float = a**b if isinstance(a, int) and isinstance(b, int) and b >= 0 else found
    elif operation == "Divide":
        result = a / b
    else:
        result = a + b if operation == "Add" else a - b if operation == "Subtract" else a * b
    if round_result:
        result = round(result)
    yield "result", result


@selfmade.function(
    tests=[
        {"input": {"collection": [1, None, 3]}, "expect": {"pins": [["count", 3]]}},
        {"name": "characters", "input": {"collection": "süß"}, "expect": {"pins": [["count", 3]]}},
        {"name": "nothing", "input": {"collection": {}}, "expect": {"pins": [["count", 0]]}},
        {
            "name": "a number has no entries",
            "input": {"collection": 5},
            "expect": {"error": {"type": "TypeError", "message": "int"}},
        },
    ],
)
def count_items(collection: Any) -> Iterator[tuple[str, int]]:
    """Count the entries of a list or an object, or the characters of a text.

    Args:
        collection: The list, object or text.
    """
    if not isinstance(collection, (list, tuple, set, dict, str)):
        raise TypeError(f"the entries of a value of type {type(collection).__name__} cannot be counted")
    count: int = len(collection)
    yield "count", count


@selfmade.function(
    tests=[
        {
            "input": {"value1": " 10 ", "operator": ">", "value2": 9, "yes_value": "more"},
            "expect": {"pins": [["result", True], ["yes_output", "more"]]},
        },
        {
            "name": "without a value of its own, no sends the second value",
            "input": {"value1": 1, "operator": "==", "value2": 2},
            "expect": {"pins": [["result", False], ["no_output", 2]]},
        },
        {
            "name": "falsy values are values",
            "input": {"value1": 0, "operator": "==", "value2": 0, "yes_value": False},
            "expect": {"pins": [["result", True], ["yes_output", False]]},
        },
        {
            "name": "what has no order is an error",
            "input": {"value1": "a", "operator": "<", "value2": 1},
            "expect": {"error": {"type": "TypeError", "message": "`<` cannot compare"}},
        },
    ],
)
def compare_values(
    value1: Any,
    operator: Literal["==", "!=", ">", "<", ">=", "<="],
    value2: Any,
    yes_value: Any = ...,
    no_value: Any = ...,
) -> Iterator[tuple[str, Any]]:
    """Compare two values, texts that are numbers as numbers, and send on one of two pins.

    The built-in block `@condition` does the same without converting anything.

    Args:
        value1: The first value.
        operator: The comparison.
        value2: The second value.
        yes_value: What leaves on `yes_output` if it holds; the first value unless given.
        no_value: What leaves on `no_output` if not; the second value unless given.
    """

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            number = float(value.strip())
        except ValueError:
            return value.strip()
        return int(number) if number.is_integer() else number

    left, right = read(value1), read(value2)
    try:
        holds = {
            "==": lambda: left == right,
            "!=": lambda: left != right,
            ">": lambda: left > right,
            "<": lambda: left < right,
            ">=": lambda: left >= right,
            "<=": lambda: left <= right,
        }[operator]
        result: bool = holds()
    except TypeError:
        raise TypeError(f"`{operator}` cannot compare `{value1}` with `{value2}`") from None
    yield "result", result
    if result:
        yield "yes_output", left if yes_value is ... else yes_value
    else:
        yield "no_output", right if no_value is ... else no_value


@selfmade.function(
    tests=[
        {
            "input": {"input": 10, "value": "10", "yes_value": "same", "no_value": "other"},
            "expect": {"pins": [["result", True], ["yes_output", "same"]]},
        },
        {
            "name": "what cannot be converted is not equal",
            "input": {"input": 10, "value": "ten", "no_value": 0},
            "expect": {"pins": [["result", False], ["no_output", 0]]},
        },
        {
            "name": "null is sent too",
            "input": {"input": "a", "value": "a"},
            "expect": {"pins": [["result", True], ["yes_output", None]]},
        },
    ],
)
def if_input_matches(
    input: Any, value: Any, yes_value: Any = None, no_value: Any = None
) -> Iterator[tuple[str, Any]]:
    """Tell whether a value equals another, if need be after converting that one, and send on one of two pins.

    Args:
        input: The value.
        value: What it is compared with.
        yes_value: What leaves on `yes_output` if they are equal.
        no_value: What leaves on `no_output` if they are not.
    """

    def converted() -> Any:
        if isinstance(input, bool):
            return {"true": True, "false": False}.get(str(value).strip().lower(), value)
        try:
            return type(input)(value) if isinstance(input, (int, float, str)) else value
        except (TypeError, ValueError):
            return value

    result: bool = input == value or input == converted()
    yield "result", result
    if result:
        yield "yes_output", yes_value
    else:
        yield "no_output", no_value
