"""Values as both sides write them: JSON, and one-key objects whose key begins with `$` for what JSON lacks.

`encode` carries a value exactly or says why it cannot; `describe` always answers, within bounds, and runs no code of the
value's own class, so that recording a call can neither fail it nor change it.
"""

import binascii
import datetime
import decimal
import math
import sys

MAX_DEPTH = 48
MAX_ITEMS = 200_000

_LARGE = 1 << 63


class NotCarried(TypeError):
    """A value that was needed outside the cell and cannot leave it."""

    __module__ = "selfmade"


class _Budget:
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items


def encode(value, what="the value"):
    try:
        return _encode(value, "", 0, _Budget(MAX_ITEMS))
    except NotCarried:
        pass
    # Only a failure needs the path to the culprit; writing one for every item would double the cost of all others. Outside of the
    # handler, because what is raised there would show the first failure as its cause.
    return _encode(value, what, 0, _Budget(MAX_ITEMS))


def _encode(value, path, depth, budget):
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return _text(value, path)
    if kind is int:
        return value if -_LARGE <= value < _LARGE else {"$int": _digits(value, path)}
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if depth >= MAX_DEPTH:
        raise NotCarried(f"{path} is nested more than {MAX_DEPTH} levels deep")
    if kind in _CONTAINERS:
        budget.items -= len(value)
        if budget.items < 0:
            raise NotCarried(f"{path} has more than {MAX_ITEMS} items in all")
        return _CONTAINERS[kind](value, path, depth + 1, budget)
    if kind in _SCALARS:
        return _SCALARS[kind](value)
    return _relative(value, path, depth, budget)


def _text(value, path):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise NotCarried(f"{path} is text with lone surrogates, which is not Unicode text") from None
    return value


def _digits(value, path):
    # Python refuses to write out huge integers in decimal, and hexadecimal is linear in time.
    if value.bit_length() > 1 << 20:
        raise NotCarried(f"{path} is an integer of {value.bit_length()} bits")
    return hex(value)


def _list(value, path, depth, budget):
    if not path:
        return [_encode(item, "", depth, budget) for item in value]
    return [_encode(item, f"{path}[{n}]", depth, budget) for n, item in enumerate(value)]


def _tagged(tag):
    return lambda value, path, depth, budget: {tag: _list(value, path, depth, budget)}


def _dict(value, path, depth, budget):
    plain = all(type(key) is str for key in value)
    if plain and not (len(value) == 1 and next(iter(value)).startswith("$")):
        if not path:
            return {_text(key, path): _encode(item, "", depth, budget) for key, item in value.items()}
        return {_text(key, path): _encode(item, f"{path}[{key!r}]", depth, budget) for key, item in value.items()}
    pairs = [[_encode(k, f"a key of {path}", depth, budget), _encode(v, path, depth, budget)] for k, v in value.items()]
    return {"$dict": pairs}


def _relative(value, path, depth, budget):
    """Subclasses (named tuples, enums of str, ordered dicts) travel as the plain type they extend."""
    for base in _BASES:
        if _extends(type(value), base):
            return _encode(_PLAIN[base](value), path, depth, budget)
    numpy = sys.modules.get("numpy")
    if numpy is not None and _extends(type(value), numpy.generic) and type(plain := value.item()) is not type(value):
        return _encode(plain, path, depth, budget)
    raise NotCarried(f"{path} is a `{type_name(type(value))}`, which cannot leave the cell; {_advice(type(value))}")


def _extends(kind, base):
    """Not `isinstance`, which believes what a value says of its class."""
    return any(one is base for one in _line_of(kind))


def _advice(kind):
    """What packages call the plain form of their objects."""
    known = [_dict_of(one) for one in _line_of(kind)]
    method = next((name for name in ("model_dump", "tolist", "to_dict") if any(name in one for one in known)), None)
    return f"use its `.{method}()`" if method else "use plain data"


def to_base64(data):
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _delta(value):
    return {"$timedelta": [value.days, value.seconds, value.microseconds]}


_CONTAINERS = {
    list: _list,
    dict: _dict,
    tuple: _tagged("$tuple"),
    set: _tagged("$set"),
    frozenset: _tagged("$frozenset"),
}
_SCALARS = {
    bytes: lambda value: {"$bytes": to_base64(value)},
    bytearray: lambda value: {"$bytes": to_base64(value)},
    datetime.datetime: lambda value: {"$datetime": value.isoformat()},
    datetime.date: lambda value: {"$date": value.isoformat()},
    datetime.time: lambda value: {"$time": value.isoformat()},
    datetime.timedelta: _delta,
    decimal.Decimal: lambda value: {"$decimal": str(value)},
}
_PLAIN = {
    str: lambda value: str.__str__(value),
    int: lambda value: int.__index__(value),
    float: lambda value: float.__float__(value),
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}
_BASES = tuple(_PLAIN)


def decode(value):
    kind = type(value)
    if kind is list:
        return [decode(item) for item in value]
    if kind is not dict:
        return value
    if len(value) == 1:
        (tag, inner), = value.items()
        if tag in _DECODERS:
            return _DECODERS[tag](inner)
    return {key: decode(item) for key, item in value.items()}


_DECODERS = {
    "$int": lambda inner: int(inner, 16),
    "$float": float,
    "$bytes": binascii.a2b_base64,
    "$tuple": lambda inner: tuple(decode(item) for item in inner),
    "$set": lambda inner: {decode(item) for item in inner},
    "$frozenset": lambda inner: frozenset(decode(item) for item in inner),
    "$dict": lambda inner: {decode(key): decode(item) for key, item in inner},
    "$datetime": datetime.datetime.fromisoformat,
    "$date": datetime.date.fromisoformat,
    "$time": datetime.time.fromisoformat,
    "$timedelta": lambda inner: datetime.timedelta(*inner),
    "$decimal": decimal.Decimal,
    "$described": lambda inner: inner["text"],
}


# Taken from `type` itself, because a metaclass can put anything in their place.
_module_of = type.__dict__["__module__"].__get__
_name_of = type.__dict__["__qualname__"].__get__
_line_of = type.__dict__["__mro__"].__get__
_dict_of = type.__dict__["__dict__"].__get__


def type_name(kind):
    """Runs no code of the type's own, and is never long."""
    module, name = _module_of(kind), _name_of(kind)[:200]
    if type(module) is not str:
        return f"?.{name}"
    return name if module == "builtins" else f"{module[:200]}.{name}"
