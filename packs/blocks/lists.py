"""Blocks for lists, objects and tables."""

import csv
import json
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"items": [1], "entry": 0},
            "expect": {"pins": [["updated_list", [1, 0]]]},
        },
        {
            "name": "several, at a place",
            "input": {"items": [1, 4], "entries": [2, 3], "position": 1},
            "expect": {"pins": [["updated_list", [1, 2, 3, 4]]]},
        },
        {
            "name": "null is an entry if it is given",
            "input": {"entry": None},
            "expect": {"pins": [["updated_list", [None]]]},
        },
        {"name": "nothing to add", "input": {"items": ["a"]}, "expect": {"pins": [["updated_list", ["a"]]]}},
    ],
)
def add_to_list(
    items: list[Any] | None = None,
    entry: Any = ...,
    entries: list[Any] | None = None,
    position: int | None = None,
) -> Iterator[tuple[str, list[Any]]]:
    """Add entries to a list; the list itself stays as it is.

    Args:
        items: The list; an empty one unless given.
        entry: One entry, after `entries`.
        entries: Several entries.
        position: The index before which they are put; the end unless given.
    """
    added = [*(entries or []), *([] if entry is ... else [entry])]
    updated: list[Any] = list(items or [])
    at = len(updated) if position is None else position
    updated[at:at] = added
    yield "updated_list", updated


@selfmade.function(
    tests=[
        {"input": {"values": [1, 2, 3], "max_size": 2}, "expect": {"pins": [["list", [1, 2]], ["list", [3]]]}},
        {"name": "whole", "input": {"values": [0, ""]}, "expect": {"pins": [["list", [0, ""]]]}},
        {"name": "an empty one", "input": {"values": []}, "expect": {"pins": [["list", []]]}},
        {
            "name": "by tokens, of which an entry may need too many",
            "input": {"values": ["aaaaaaaaaaaaaaaaaaaaaaaaa", "b", "c"], "max_tokens": 5},
            "expect": {"pins": [["list", ["aaaaaaaaaaaaaaaaaaaaaaaaa"]], ["list", ["b", "c"]]]},
        },
    ],
)
def create_list(
    values: list[Any], max_size: int | None = None, max_tokens: int | None = None
) -> Iterator[tuple[str, list[Any]]]:
    """Make a list, or several of limited size.

    Args:
        values: The entries.
        max_size: The most entries of one list.
        max_tokens: The most tokens of one list, counted as four characters each; a longer entry is alone.
    """
    part: list[Any] = []
    tokens = 0
    for value in values:
        size = -(-len(json.dumps(value, ensure_ascii=False)) // 4)
        is_long = max_tokens is not None and tokens + size > max_tokens
        if part and (is_long or (max_size is not None and len(part) >= max_size)):
            yield "list", part
            part, tokens = [], 0
        part = [*part, value]
        tokens += size
    yield "list", part


@selfmade.function(
    tests=[
        {"input": {"items": ["a", "b"], "index": -1}, "expect": {"pins": [["item", "b"]]}},
        {"name": "null is an item", "input": {"items": [None], "index": 0}, "expect": {"pins": [["item", None]]}},
        {
            "name": "out of range",
            "input": {"items": [1], "index": 1},
            "expect": {"error": {"type": "IndexError", "message": "a list of 1 has no item 1"}},
        },
    ],
)
def get_list_item(items: list[Any], index: int) -> Iterator[tuple[str, Any]]:
    """Take one item out of a list.

    Args:
        items: The list.
        index: Its index from 0; from -1 downwards it is counted from the end.
    """
    if not -len(items) <= index < len(items):
        raise IndexError(f"a list of {len(items)} has no item {index}")
    yield "item", items[index]


@selfmade.function(
    tests=[
        {
            "input": {"items": [1, 0, 0], "value": 0, "return_item": True},
            "expect": {"pins": [["updated_list", [1, 0]], ["removed_item", 0]]},
        },
        {
            "name": "by index",
            "input": {"items": ["a", "b"], "value": "a", "index": 1},
            "expect": {"pins": [["updated_list", ["a"]]]},
        },
        {
            "name": "what is not there",
            "input": {"items": [1], "value": 2},
            "expect": {"error": {"type": "ValueError", "message": "`2` is not in the list"}},
        },
    ],
)
def remove_from_list(
    items: list[Any], value: Any = ..., index: int | None = None, return_item: bool = False
) -> Iterator[tuple[str, Any]]:
    """Remove one item from a list; the list itself stays as it is.

    Args:
        items: The list.
        value: The item, of which the first is removed.
        index: Its index, which counts instead of the value.
        return_item: Whether the removed item leaves on `removed_item`.
    """
    updated: list[Any] = list(items)
    if index is None and value is ...:
        raise ValueError("give a `value` or an `index`")
    if index is None and value not in updated:
        raise ValueError(f"`{value}` is not in the list")
    if index is not None and not -len(items) <= index < len(items):
        raise IndexError(f"a list of {len(items)} has no item {index}")
    removed = updated.pop(updated.index(value) if index is None else index)
    yield "updated_list", updated
    if return_item:
        yield "removed_item", removed


@selfmade.function(
    tests=[
        {"input": {"items": []}, "expect": {"pins": [["is_empty", True]]}},
        {"name": "null is an item", "input": {"items": [None]}, "expect": {"pins": [["is_empty", False]]}},
    ],
)
def list_is_empty(items: list[Any]) -> Iterator[tuple[str, bool]]:
    """Tell whether a list is empty.

    Args:
        items: The list.
    """
    is_empty: bool = not items
    yield "is_empty", is_empty


@selfmade.function(
    tests=[
        {
            "input": {"items": [0, None]},
            "expect": {"pins": [["item", 0], ["key", 0], ["item", None], ["key", 1]]},
        },
        {
            "name": "an object, and one in a text",
            "input": {"items_object": {"a": 1}, "items_str": '{"b": 2}'},
            "expect": {"pins": [["item", 1], ["key", "a"], ["item", 2], ["key", "b"]]},
        },
        {"name": "nothing", "input": {}, "expect": {"pins": []}},
        {
            "name": "a text that is not JSON",
            "input": {"items_str": "a, b"},
            "expect": {"error": {"type": "ValueError", "message": "`items_str` is not JSON"}},
        },
    ],
)
def step_through_items(
    items: list[Any] | dict[str, Any] | None = None,
    items_object: dict[str, Any] | None = None,
    items_str: str = "",
) -> Iterator[tuple[str, Any]]:
    """Send each entry of a list or object on `item`, and its index or key on `key`.

    The built-in block `@iterate` does the same for one list or object.

    Args:
        items: A list or object.
        items_object: An object.
        items_str: A list or object as JSON.
    """
    try:
        read = json.loads(items_str) if items_str.strip() else []
    except ValueError as error:
        raise ValueError(f"`items_str` is not JSON: {error}") from None
    if not isinstance(read, (list, dict)):
        raise TypeError("`items_str` must be a list or an object")
    given = [items or [], items_object or {}, read]
    if sum(map(len, given)) > 10_000:
        raise ValueError(f"{sum(map(len, given))} entries are more than 10000; step through parts of them")
    for part in given:
        for key, item in part.items() if isinstance(part, dict) else enumerate(part):
            yield "item", item
            yield "key", key


@selfmade.function(
    tests=[
        {"input": {"input": {"a": 0}, "key": "a"}, "expect": {"pins": [["output", 0]]}},
        {
            "name": "the same field of many",
            "input": {"input": '[{"a": 1}, {"a": null}]', "key": "a"},
            "expect": {"pins": [["output", [1, None]]]},
        },
        {
            "name": "what is not there",
            "input": {"input": [1, 2], "key": 5},
            "expect": {"pins": [["missing", [1, 2]]]},
        },
        {
            "name": "a text that is not JSON",
            "input": {"input": "{", "key": "a"},
            "expect": {"error": {"type": "ValueError", "message": "is not JSON"}},
        },
    ],
)
def find_in_dictionary(input: Any, key: str | int) -> Iterator[tuple[str, Any]]:
    """Find a value by its key in an object, by its index in a list, or by its key in each object of a list.

    Args:
        input: The object or list, or either as JSON.
        key: The key or index.
    """
    place = input
    if isinstance(input, str):
        try:
            place = json.loads(input)
        except ValueError as error:
            raise ValueError(f"`input` is a text that is not JSON: {error}") from None
    index = int(key) if str(key).lstrip("-").isdigit() else None
    if isinstance(place, dict) and str(key) in place:
        yield "output", place[str(key)]
    elif isinstance(place, list) and index is not None and -len(place) <= index < len(place):
        yield "output", place[index]
    elif isinstance(place, list) and index is None and all(isinstance(one, dict) and key in one for one in place):
        yield "output", [one[key] for one in place]
    else:
        yield "missing", place


@selfmade.function(
    tests=[
        {
            "input": {"dictionary": {"a": 1}, "key": "b", "value": False},
            "expect": {"pins": [["updated_dictionary", {"a": 1, "b": False}]]},
        },
        {
            "name": "several at once, into nothing",
            "input": {"entries": {"a": 1, "b": 2}},
            "expect": {"pins": [["updated_dictionary", {"a": 1, "b": 2}]]},
        },
        {
            "name": "null is a value if it is given",
            "input": {"key": "a", "value": None},
            "expect": {"pins": [["updated_dictionary", {"a": None}]]},
        },
        {
            "name": "a value without a key",
            "input": {"value": 1},
            "expect": {"error": {"type": "ValueError", "message": "give a `key`"}},
        },
    ],
)
def add_to_dictionary(
    dictionary: dict[str, Any] | None = None,
    key: str = "",
    value: Any = ...,
    entries: dict[str, Any] | None = None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Add entries to an object; the object itself stays as it is.

    Args:
        dictionary: The object; an empty one unless given.
        key: The key of one entry.
        value: The value of that entry.
        entries: Several entries.
    """
    if value is not ... and not key and not entries:
        raise ValueError("give a `key` for the value")
    updated: dict[str, Any] = dict(dictionary or {})
    if key and value is not ...:
        updated[key] = value
    updated.update(entries or {})
    yield "updated_dictionary", updated


@selfmade.function(
    tests=[
        {"input": {"values": {"a": None}}, "expect": {"pins": [["dictionary", {"a": None}]]}},
        {"name": "an empty one", "input": {"values": {}}, "expect": {"pins": [["dictionary", {}]]}},
    ],
)
def create_dictionary(values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Make an object of values, each of which may be linked on its own.

    Args:
        values: The values by key.
    """
    yield "dictionary", values


@selfmade.function(
    tests=[
        {
            "input": {"contents": "a, b\n1,'x,y'\n2,", "quotechar": "'"},
            "expect": {"pins": [["data", {"a": "1", "b": "x,y"}], ["data", {"a": "2", "b": ""}]]},
        },
        {
            "name": "without a header",
            "input": {"contents": "1;2\n3;4", "delimiter": ";", "has_header": False, "skip_columns": ["1"]},
            "expect": {"pins": [["data", {"0": "1"}], ["data", {"0": "3"}]]},
        },
        {
            "name": "rows to skip",
            "input": {"contents": "a\n1\n2", "skip_rows": 1},
            "expect": {"pins": [["data", {"a": "2"}]]},
        },
        {
            "name": "a delimiter is one character",
            "input": {"contents": "a", "delimiter": "||"},
            "expect": {"error": {"type": "TypeError", "message": "delimiter"}},
        },
    ],
)
def read_csv(
    contents: str,
    delimiter: str = ",",
    quotechar: str = '"',
    escapechar: str = "\\",
    has_header: bool = True,
    skip_rows: int = 0,
    strip: bool = True,
    skip_columns: list[str] | None = None,
) -> Iterator[tuple[str, dict[str, str]]]:
    """Send each row of a CSV text as an object on `data`.

    Args:
        contents: The text.
        delimiter: What stands between two values.
        quotechar: What stands around a value that contains a delimiter.
        escapechar: What takes the meaning of the character after it.
        has_header: Whether the first row names the columns; they are numbered from 0 otherwise.
        skip_rows: How many rows to leave out at the beginning, not counting the header.
        strip: Whether to take blanks off the ends of names and values.
        skip_columns: The names of columns to leave out.
    """
    options = {"delimiter": delimiter, "quotechar": quotechar, "escapechar": escapechar or None}
    rows = csv.reader(contents.splitlines(keepends=True), **options, skipinitialspace=strip)
    clean = (lambda text: text.strip()) if strip else (lambda text: text)
    names = [clean(name) for name in next(rows, [])] if has_header else None
    skipped = set(skip_columns or [])
    for number, row in enumerate(rows):
        if number < skip_rows or not row:
            continue
        columns = names or [str(index) for index in range(len(row))]
        data: dict[str, str] = {
            name: clean(text) for name, text in zip(columns, row) if name not in skipped
        }
        yield "data", data
