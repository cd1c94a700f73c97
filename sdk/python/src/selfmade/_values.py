"""Values as the server carries them: JSON, and one-key objects whose key begins with `$` for what JSON lacks.

What a cell can carry, this carries, written the same way; anything else is refused with the path to it.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from collections.abc import Callable, Iterable
from typing import Any

# What the server takes; deeper values are slips, such as a list that contains itself.
_MOST_DEPTH = 48
_LARGE = 1 << 63


class NotCarried(TypeError):
    """A value that cannot be handed to a function or back."""


def encode(value: Any, what: str = "the value") -> Any:
    """The JSON form of a value. `what` names it in the error.

    Raises:
        NotCarried: it, or something in it, is of a type that cannot travel.
    """
    return _encode(value, what, 0)


def _encode(value: Any, path: str, depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -_LARGE <= value < _LARGE else {"$int": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if depth >= _MOST_DEPTH:
        raise NotCarried(f"{path} is nested more than {_MOST_DEPTH} levels deep")
    if kind is dict:
        return _dict(value, path, depth + 1)
    if kind is list:
        return _items(value, path, depth + 1)
    if kind in _TAGGED:
        return {_TAGGED[kind]: _items(value, path, depth + 1)}
    if kind in _WRITTEN:
        tag, write = _WRITTEN[kind]
        return {tag: write(value)}
    return _relative(value, path, depth)


def _items(value: Iterable[Any], path: str, depth: int) -> list[Any]:
    return [_encode(item, f"{path}[{n}]", depth) for n, item in enumerate(value)]


def _dict(value: dict[Any, Any], path: str, depth: int) -> Any:
    looks_tagged = len(value) == 1 and str(next(iter(value))).startswith("$")
    if not looks_tagged and all(type(key) is str for key in value):
        return {key: _encode(item, f"{path}[{key!r}]", depth) for key, item in value.items()}
    return {
        "$dict": [
            [_encode(key, f"a key of {path}", depth), _encode(item, f"{path}[{key!r}]", depth)]
            for key, item in value.items()
        ]
    }


def _relative(value: Any, path: str, depth: int) -> Any:
    """Subclasses (named tuples, enums of str, ordered dicts) travel as the plain type they extend."""
    for base, plain in _PLAIN.items():
        if isinstance(value, base):
            return _encode(plain(value), path, depth)
    # A number of numpy says its plain form by this method; arrays have it too, but with more than one item it fails.
    item = getattr(value, "item", None)
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0 and callable(item):
        return _encode(item(), path, depth)
    raise NotCarried(f"{path} is a `{_name(type(value))}`, which cannot travel to a function; {_advice(value)}")


def _name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _advice(value: Any) -> str:
    method = next((name for name in ("model_dump", "tolist", "to_dict") if hasattr(value, name)), None)
    return f"hand over its `.{method}()`" if method else "hand over plain data"


def _base64(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode("ascii")


_TAGGED: dict[type, str] = {tuple: "$tuple", set: "$set", frozenset: "$frozenset"}
_WRITTEN: dict[type, tuple[str, Callable[[Any], Any]]] = {
    bytes: ("$bytes", _base64),
    bytearray: ("$bytes", _base64),
    datetime.datetime: ("$datetime", datetime.datetime.isoformat),
    datetime.date: ("$date", datetime.date.isoformat),
    datetime.time: ("$time", datetime.time.isoformat),
    datetime.timedelta: ("$timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    decimal.Decimal: ("$decimal", str),
}
_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    dict: lambda value: dict(value.items()),
    list: lambda value: list(value),
    tuple: lambda value: tuple(value),
    set: lambda value: set(value),
    frozenset: lambda value: frozenset(value),
}


def decode(value: Any) -> Any:
    """The value that was written. What could not be recorded whole is the text that describes it."""
    if type(value) is list:
        return [decode(item) for item in value]
    if type(value) is not dict:
        return value
    if len(value) == 1:
        [(tag, inner)] = value.items()
        if tag in _READ:
            return _READ[tag](inner)
    return {key: decode(item) for key, item in value.items()}


def _moment(text: str) -> datetime.datetime:
    # Before 3.11 Python does not read the `Z` of universal time.
    return datetime.datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)


_READ: dict[str, Callable[[Any], Any]] = {
    "$int": lambda inner: int(inner, 16),
    "$float": float,
    "$bytes": base64.b64decode,
    "$tuple": lambda inner: tuple(decode(item) for item in inner),
    "$set": lambda inner: {decode(item) for item in inner},
    "$frozenset": lambda inner: frozenset(decode(item) for item in inner),
    "$dict": lambda inner: {decode(key): decode(item) for key, item in inner},
    "$datetime": _moment,
    "$date": datetime.date.fromisoformat,
    "$time": datetime.time.fromisoformat,
    "$timedelta": lambda inner: datetime.timedelta(*inner),
    "$decimal": decimal.Decimal,
    "$described": lambda inner: inner["text"],
}
