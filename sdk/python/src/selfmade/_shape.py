"""Makes typed records from the server's JSON.

Unknown fields are left to `raw`, absent ones are their defaults, so that an older package reads a newer server.
"""

from __future__ import annotations

import dataclasses
import datetime
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeVar, Union

from selfmade._values import decode

T = TypeVar("T")

# A value of a function, with the tags of what JSON lacks.
Value = Annotated[Any, "value"]


def load(kind: type[T], raw: Any) -> T:
    """A record of this kind."""
    hint: Any = kind
    made: T = _reader(hint)(raw)
    return made


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    if hint is datetime.datetime:
        return moment
    if hint == Value:
        return decode
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType) and type(None) in arguments:
        [inner] = [argument for argument in arguments if argument is not type(None)]
        read = _reader(inner)
        return lambda raw: None if raw is None else read(raw)
    if origin is list:
        read = _reader(arguments[0])
        return lambda raw: [read(item) for item in raw]
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record_reader(hint)
    return lambda raw: raw


def _record_reader(kind: type) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [
        (field.name, field.metadata.get("key", field.name), _reader(hints[field.name]))
        for field in dataclasses.fields(kind)
        if field.name != "raw"
    ]
    required = {
        field.name
        for field in dataclasses.fields(kind)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }

    def read(raw: dict[str, Any]) -> Any:
        given = {
            name: parse(raw[key])
            for name, key, parse in fields
            if key in raw and (raw[key] is not None or name in required)
        }
        return kind(raw=raw, **given)

    return read


def moment(text: str) -> datetime.datetime:
    """A time of the server. It may be finer than Python's microseconds, and ends with `Z`."""
    text = text[:-1] + "+00:00" if text.endswith("Z") else text
    head, dot, tail = text.partition(".")
    if dot:
        digits = len(tail) - len(tail.lstrip("0123456789"))
        text = f"{head}.{tail[:digits][:6].ljust(6, '0')}{tail[digits:]}"
    return datetime.datetime.fromisoformat(text)
