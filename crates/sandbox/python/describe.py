"""Bounded descriptions of any value, for the record of Calls. Nothing here runs code that belongs to the value."""

from _cell_values import encode, type_name, _CONTAINERS, _SCALARS

MAX_TEXT = 2_000
MAX_ITEMS = 64
MAX_DEPTH = 6
# What one value may cost in the record, in items over all its levels.
MAX_TOTAL = 256

# What is copied without a closer look.
MAX_FLAT = 16
MAX_FLAT_TEXT = 100

_LARGE = 1 << 63


def describe(value):
    """The value itself where that is short, else what it is."""
    kind = type(value)
    if kind is str:
        if len(value) <= MAX_TEXT and value.isascii():
            return value
    elif kind is int:
        if -_LARGE <= value < _LARGE:
            return value
    elif value is None or kind is bool:
        return value
    elif kind is float and value - value == 0:
        return value
    try:
        if kind in _SHALLOW and len(value) <= MAX_FLAT and (flat := _flat(value, kind)) is not None:
            return flat
        return _describe(value, 0, [MAX_TOTAL])
    except Exception:
        # Another thread may change a container while it is read. The record is then poorer, the call is not.
        return described(kind, "")


_SHALLOW = frozenset((dict, list, tuple))


def _flat(value, kind):
    """A copy of a small container of plain things, which most arguments and results are; None if it is anything else."""
    if kind is dict:
        copy = value.copy()
        for key in copy:
            if type(key) is not str or not key.isascii() or key[:1] == "$":
                return None
        items = copy.values()
    else:
        copy = items = list(value)
    for item in items:
        of = type(item)
        if of is str:
            if len(item) > MAX_FLAT_TEXT or not item.isascii():
                return None
        elif of is int:
            if not -_LARGE <= item < _LARGE:
                return None
        elif of is float:
            if item - item != 0:
                return None
        elif of is not bool and item is not None:
            return None
    return {"$tuple": copy} if kind is tuple else copy


def described(kind, text):
    return {"$described": {"type": type_name(kind)[:200], "text": text}}


def _describe(value, depth, budget):
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind in _CONTAINERS:
        if depth >= MAX_DEPTH or budget[0] <= 0:
            return described(kind, f"{len(value)} items")
        return _dict(value, depth, budget) if kind is dict else _sequence(value, kind, depth, budget)
    if kind in (bytes, bytearray) and len(value) > MAX_TEXT:
        return described(kind, f"{len(value)} bytes")
    if kind is int and value.bit_length() > 4 * MAX_TEXT:
        return described(kind, f"{value.bit_length()} bits")
    if value is None or kind in (bool, int, float) or kind in _SCALARS:
        return encode(value)
    return described(kind, "")


def _text(value):
    if len(value) > MAX_TEXT:
        shown = value[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
        return described(str, f"{shown}… ({len(value)} characters)")
    return value.encode("utf-8", "replace").decode("utf-8")


def _sequence(value, kind, depth, budget):
    items = []
    for item in value:
        if len(items) == MAX_ITEMS or budget[0] <= 0:
            items.append(described(kind, f"… {len(value) - len(items)} more"))
            break
        budget[0] -= 1
        items.append(_describe(item, depth + 1, budget))
    return items if kind is list else {f"${kind.__name__}": items}


def _dict(value, depth, budget):
    pairs, plain = [], True
    for key, item in value.items():
        if len(pairs) == MAX_ITEMS or budget[0] <= 0:
            pairs.append(("…", described(dict, f"… {len(value) - len(pairs)} more")))
            break
        budget[0] -= 1
        plain = plain and type(key) is str
        pairs.append((_describe(key, depth + 1, budget), _describe(item, depth + 1, budget)))
    simple = plain and all(type(key) is str for key, _ in pairs)
    if simple and not (len(pairs) == 1 and pairs[0][0].startswith("$")):
        return dict(pairs)
    return {"$dict": [list(pair) for pair in pairs]}
