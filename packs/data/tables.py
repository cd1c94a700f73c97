"""Tables in, tables out: group, join, pivot, sort, compare."""

import json
import statistics
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {
                "rows": [{"k": "a", "n": 1}, {"k": "b", "n": 2}, {"k": "a", "n": 3}],
                "by": ["k"],
                "aggregates": {"total": "sum n", "rows": "count"},
            },
            "expect": {"output": [{"k": "a", "total": 4, "rows": 2}, {"k": "b", "total": 2, "rows": 1}]},
        },
        {
            "name": "missing values do not count",
            "input": {
                "rows": [{"n": None}, {"n": 4}],
                "by": [],
                "aggregates": {"mean": "mean n", "list": "list n"},
            },
            "expect": {"output": [{"mean": 4, "list": [4]}]},
        },
        {
            "name": "an aggregate that is none",
            "input": {"rows": [{"n": 1}], "by": ["n"], "aggregates": {"x": "average n"}},
            "expect": {"error": {"type": "ValueError", "message": "`average`"}},
        },
    ],
)
def group_rows(rows: list[dict[str, Any]], by: list[str], aggregates: dict[str, str]) -> list[dict[str, Any]]:
    """Group rows that have the same values in some columns, and work out something for each group.

    Args:
        rows: The table.
        by: The columns to group by, in the order in which groups first appear; none makes one group of all.
        aggregates: For each column of the result how it is made: "count", or "sum", "mean", "median",
            "least", "most", "first", "last", "distinct" or "list" and a column, such as "sum price".
    """
    ways = {
        "count": len,
        "sum": sum,
        "mean": lambda values: statistics.fmean(values) if values else None,
        "median": lambda values: statistics.median(values) if values else None,
        "least": lambda values: min(values, default=None),
        "most": lambda values: max(values, default=None),
        "first": lambda values: values[0] if values else None,
        "last": lambda values: values[-1] if values else None,
        "distinct": lambda values: len({json.dumps(value, sort_keys=True, default=str) for value in values}),
        "list": list,
    }
    plan = []
    for name, text in aggregates.items():
        way, _, column = text.partition(" ")
        if way not in ways or (not column and way != "count"):
            raise ValueError(
                f"`{text}` is no aggregate: `{way}` must be one of {', '.join(ways)}, and a column follows"
            )
        plan.append((name, ways[way], column))
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        key = json.dumps([row.get(column) for column in by], sort_keys=True, default=str)
        groups.setdefault(key, []).append(row)
    result = []
    for group in groups.values():
        made = {column: group[0].get(column) for column in by}
        for name, way, column in plan:
            made[name] = way(
                [row[column] for row in group if row.get(column) is not None] if column else group
            )
        result.append(made)
    return result


@selfmade.function(
    tests=[
        {
            "input": {
                "left": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}],
                "right": [{"id": 1, "city": "Oslo"}],
                "on": ["id"],
            },
            "expect": {"output": [{"id": 1, "name": "Ada", "city": "Oslo"}]},
        },
        {
            "name": "all of the left, whether it has a partner or not",
            "input": {
                "left": [{"id": 1}, {"id": 2}],
                "right": [{"id": 1, "city": "Oslo"}, {"id": 3, "city": "Rome"}],
                "on": ["id"],
                "how": "left",
            },
            "expect": {"output": [{"id": 1, "city": "Oslo"}, {"id": 2, "city": None}]},
        },
        {
            "name": "all of both; a column that both have is told apart",
            "input": {
                "left": [{"id": 1, "n": 1}],
                "right": [{"id": 1, "n": 2}, {"id": 3, "n": 3}],
                "on": ["id"],
                "how": "full",
            },
            "expect": {"output": [{"id": 1, "n": 1, "right_n": 2}, {"id": 3, "n": None, "right_n": 3}]},
        },
    ],
)
def join_rows(
    left: list[dict[str, Any]], right: list[dict[str, Any]], on: list[str], how: str = "inner"
) -> list[dict[str, Any]]:
    """Join two tables where some columns are equal.

    Args:
        left: One table.
        right: The other. A further column that both have is called `right_…` in the result.
        on: The columns that must be equal.
        how: "inner" for what has a partner, "left" for all of the left one too, "full" for all of both.
    """
    if how not in ("inner", "left", "full"):
        raise ValueError(f'`{how}` is no way to join; use "inner", "left" or "full"')

    def key(row: dict[str, Any]) -> str:
        return json.dumps([row.get(column) for column in on], sort_keys=True, default=str)

    left_columns = dict.fromkeys(name for row in left for name in row)
    right_columns = [name for name in dict.fromkeys(name for row in right for name in row) if name not in on]
    renamed = {name: f"right_{name}" if name in left_columns else name for name in right_columns}
    partners: dict[str, list[dict[str, Any]]] = {}
    for row in right:
        partners.setdefault(key(row), []).append(row)
    nothing = {renamed[name]: None for name in right_columns}
    result, met = [], set()
    for row in left:
        found = partners.get(key(row), [])
        met.add(key(row))
        result += [{**row, **{renamed[name]: other.get(name) for name in right_columns}} for other in found]
        if not found and how != "inner":
            result.append({**row, **nothing})
    for other in right if how == "full" else []:
        if key(other) not in met:
            shared = {name: other.get(name) if name in on else None for name in left_columns}
            result.append({**shared, **{renamed[name]: other.get(name) for name in right_columns}})
    return result


@selfmade.function(
    tests=[
        {
            "input": {
                "rows": [
                    {"city": "Oslo", "month": "jan", "rain": 1},
                    {"city": "Oslo", "month": "feb", "rain": 2},
                    {"city": "Rome", "month": "jan", "rain": 3},
                    {"city": "Rome", "month": "jan", "rain": 4},
                ],
                "index": "city",
                "column": "month",
                "value": "rain",
            },
            "expect": {
                "output": [{"city": "Oslo", "jan": 1, "feb": 2}, {"city": "Rome", "jan": 7, "feb": None}]
            },
        },
        {
            "name": "counting",
            "input": {
                "rows": [{"a": 1, "b": "x"}],
                "index": "a",
                "column": "b",
                "value": "b",
                "aggregate": "count",
            },
            "expect": {"output": [{"a": 1, "x": 1}]},
        },
    ],
)
def pivot_rows(
    rows: list[dict[str, Any]], index: str, column: str, value: str, aggregate: str = "sum"
) -> list[dict[str, Any]]:
    """Turn the values of one column into columns, with one row for each value of another.

    Args:
        rows: The table.
        index: The column whose values make rows.
        column: The column whose values make columns.
        value: The column whose values fill the table.
        aggregate: What to do with several in one place: any aggregate of `group_rows`.
    """
    cells = group_rows(rows, [index, column], {"made": f"{aggregate} {value}"})
    columns = list(dict.fromkeys(str(cell[column]) for cell in cells))
    table: dict[str, dict[str, Any]] = {}
    for cell in cells:
        empty = {index: cell[index], **dict.fromkeys(columns)}
        table.setdefault(json.dumps(cell[index], default=str), empty)[str(cell[column])] = cell["made"]
    return list(table.values())


@selfmade.function(
    tests=[
        {
            "input": {
                "rows": [{"n": 2, "s": "b"}, {"n": 1, "s": "c"}, {"n": 2, "s": "a"}],
                "by": ["-n", "s"],
            },
            "expect": {"output": [{"n": 2, "s": "a"}, {"n": 2, "s": "b"}, {"n": 1, "s": "c"}]},
        },
        {
            "name": "what is missing comes last, whichever way",
            "input": {"rows": [{"n": None}, {"n": 1}, {"n": 2}], "by": ["-n"]},
            "expect": {"output": [{"n": 2}, {"n": 1}, {"n": None}]},
        },
    ],
)
def sort_rows(rows: list[dict[str, Any]], by: list[str]) -> list[dict[str, Any]]:
    """Sort rows by columns; equals stay in their order, and missing values come last.

    Args:
        rows: The table.
        by: The columns, the most important first; one with a `-` before it is sorted from the greatest down.
    """
    rows = list(rows)
    for column in reversed(by):
        falling, column = column.startswith("-"), column.removeprefix("-")
        present = [row for row in rows if row.get(column) is not None]
        present.sort(key=lambda row: row[column], reverse=falling)
        rows = present + [row for row in rows if row.get(column) is None]
    return rows


@selfmade.function(
    tests=[
        {
            "input": {"rows": [{"id": 1, "n": 1}, {"id": 1, "n": 2}, {"id": 2, "n": 3}], "by": ["id"]},
            "expect": {"output": [{"id": 1, "n": 1}, {"id": 2, "n": 3}]},
        },
        {
            "name": "equal in every column",
            "input": {"rows": [{"a": [1]}, {"a": [1]}, {"a": [2]}]},
            "expect": {"output": [{"a": [1]}, {"a": [2]}]},
        },
    ],
)
def distinct_rows(rows: list[dict[str, Any]], by: list[str] | None = None) -> list[dict[str, Any]]:
    """Leave out rows that were there before.

    Args:
        rows: The table; of equal rows the first stays.
        by: The columns that make rows equal; all of them unless given.
    """
    seen: dict[str, dict[str, Any]] = {}
    for row in rows:
        kept = row if by is None else [row.get(column) for column in by]
        seen.setdefault(json.dumps(kept, sort_keys=True, default=str), row)
    return list(seen.values())


@selfmade.function(
    tests=[
        {
            "input": {
                "old": [{"id": 1, "n": 1}, {"id": 2, "n": 2}],
                "new": [{"id": 1, "n": 5}, {"id": 3, "n": 3}],
                "key": "id",
            },
            "expect": {
                "output": {
                    "added": [{"id": 3, "n": 3}],
                    "removed": [{"id": 2, "n": 2}],
                    "changed": [{"key": 1, "columns": {"n": [1, 5]}}],
                }
            },
        },
        {
            "name": "nothing changed",
            "input": {"old": [{"id": 1}], "new": [{"id": 1}], "key": "id"},
            "expect": {"output": {"added": [], "removed": [], "changed": []}},
        },
    ],
)
def compare_rows(
    old: list[dict[str, Any]], new: list[dict[str, Any]], key: str
) -> dict[str, list[dict[str, Any]]]:
    """Tell what changed between two states of a table: rows added, removed, and changed column by column.

    Args:
        old: The table as it was.
        new: The table as it is.
        key: The column that says which row is which.
    """
    before, after = {row[key]: row for row in old}, {row[key]: row for row in new}
    changed = []
    for name in before.keys() & after.keys():
        was, now = before[name], after[name]
        columns = dict.fromkeys([*was, *now])
        parts = {part: [was.get(part), now.get(part)] for part in columns if was.get(part) != now.get(part)}
        if parts:
            changed.append({"key": name, "columns": parts})
    order = {name: position for position, name in enumerate(after)}
    return {
        "added": [row for name, row in after.items() if name not in before],
        "removed": [row for name, row in before.items() if name not in after],
        "changed": sorted(changed, key=lambda change: order[change["key"]]),
    }


@selfmade.function(
    tests=[
        {
            "input": {"rows": [{"a": 1, "b": "x"}, {"a": 3, "b": "x"}, {"a": None, "b": "y"}]},
            "expect": {
                "output": [
                    {
                        "column": "a",
                        "types": ["integer"],
                        "missing": 1,
                        "distinct": 2,
                        "least": 1,
                        "most": 3,
                        "common": [1, 3],
                    },
                    {
                        "column": "b",
                        "types": ["string"],
                        "missing": 0,
                        "distinct": 2,
                        "least": "x",
                        "most": "y",
                        "common": ["x", "y"],
                    },
                ]
            },
        },
        {
            "name": "mixed types have no least",
            "input": {"rows": [{"a": 1}, {"a": "x"}]},
            "expect": {
                "output": [
                    {
                        "column": "a",
                        "types": ["integer", "string"],
                        "missing": 0,
                        "distinct": 2,
                        "least": None,
                        "most": None,
                        "common": [1, "x"],
                    }
                ]
            },
        },
    ],
)
def describe_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Describe each column of a table: types, missing and distinct values, least, most, the most common ones.

    Args:
        rows: The table.
    """
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    described = []
    for column in dict.fromkeys(name for row in rows for name in row):
        present = [row[column] for row in rows if row.get(column) is not None]
        counts: dict[str, list[Any]] = {}
        for value in present:
            counts.setdefault(json.dumps(value, sort_keys=True, default=str), []).append(value)
        common = sorted(counts.values(), key=len, reverse=True)[:3]
        try:
            least, most = min(present, default=None), max(present, default=None)
        except TypeError:
            least = most = None
        described.append(
            {
                "column": column,
                "types": sorted({names.get(type(value), type(value).__name__) for value in present}),
                "missing": len(rows) - len(present),
                "distinct": len(counts),
                "least": least,
                "most": most,
                "common": [values[0] for values in common],
            }
        )
    return described
