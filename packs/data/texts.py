"""Tables and records as text: CSV, JSON lines, Markdown.

A table is a list of rows, and a row an object: `[{"city": "Oslo", "rain": 3.5}, …]`. That is what JSON has,
what CSV is read to, and what goes from one function to the next.
"""

import csv
import io
import json
import re
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"text": "city,rain\nOslo,3.5\nBergen,12\n"},
            "expect": {"output": [{"city": "Oslo", "rain": 3.5}, {"city": "Bergen", "rain": 12}]},
        },
        {
            "name": "the delimiter is found, quotes are honoured",
            "input": {"text": 'name;note\nAda;"a; b"\n'},
            "expect": {"output": [{"name": "Ada", "note": "a; b"}]},
        },
        {
            "name": "numbers stay text when asked, and so do codes with leading zeros",
            "input": {"text": "zip,n\n0150,1\n", "numbers": False},
            "expect": {"output": [{"zip": "0150", "n": "1"}]},
        },
        {
            "name": "an empty field is null, a row with too many fields is told by its line",
            "input": {"text": "a,b\n1,\n1,2,3\n"},
            "expect": {"error": {"type": "ValueError", "message": "line 3 has 3 fields, and the head has 2"}},
        },
    ],
)
def parse_csv(text: str, delimiter: str = "", numbers: bool = True) -> list[dict[str, Any]]:
    """Read CSV text into rows, by the names in its first line.

    Args:
        text: The CSV text. A byte order mark at its beginning is left out.
        delimiter: What stands between fields; found out from the first line unless given.
        numbers: Whether fields that are plain numbers become numbers. Those with leading zeros stay text.
    """
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = delimiter or max(",;\t|", key=first.count)
    number = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")

    def value(field: str) -> Any:
        if field == "":
            return None
        match = number.fullmatch(field) if numbers else None
        if match is None:
            return field
        return float(field) if match[2] or match[3] else int(field)

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    head = next(reader, None)
    if head is None:
        return []
    rows = []
    for fields in reader:
        if not fields:
            continue
        if len(fields) > len(head):
            raise ValueError(f"line {reader.line_num} has {len(fields)} fields, and the head has {len(head)}")
        fields += [""] * (len(head) - len(fields))
        rows.append(dict(zip(head, map(value, fields), strict=True)))
    return rows


@selfmade.function(
    tests=[
        {
            "input": {"rows": [{"a": 1, "b": "x, y"}, {"a": None, "c": True}]},
            "expect": {"output": 'a,b,c\n1,"x, y",\n,,True\n'},
        },
        {
            "name": "chosen columns, in their order",
            "input": {"rows": [{"a": 1, "b": 2}], "columns": ["b", "a"], "delimiter": ";"},
            "expect": {"output": "b;a\n2;1\n"},
        },
        {
            "name": "a field that a spreadsheet would take for a formula is defused",
            "input": {"rows": [{"a": "=1+1"}, {"a": -1}]},
            "expect": {"output": "a\n'=1+1\n-1\n"},
        },
        {"name": "no rows", "input": {"rows": []}, "expect": {"output": ""}},
    ],
)
def write_csv(rows: list[dict[str, Any]], columns: list[str] | None = None, delimiter: str = ",") -> str:
    """Write rows as CSV text, with their names in the first line.

    Args:
        rows: The rows. What is missing in one is left empty; a list or an object is written as JSON.
        columns: Which columns, in this order; all, in the order in which they appear, unless given.
        delimiter: What stands between fields.
    """
    columns = columns or list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return ""

    def field(value: Any) -> Any:
        if isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=False)
        # Spreadsheets run what begins so; an apostrophe makes it text to them.
        if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
            return "'" + value
        return value

    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([field(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


@selfmade.function(
    tests=[
        {"input": {"text": '{"a": 1}\n\n[2]\n'}, "expect": {"output": [{"a": 1}, [2]]}},
        {
            "name": "a broken line is told by its number",
            "input": {"text": '{"a": 1}\n{"a": \n'},
            "expect": {"error": {"type": "ValueError", "message": "line 2 is not JSON"}},
        },
    ],
)
def parse_jsonl(text: str) -> list[Any]:
    """Read text with one JSON value a line.

    Args:
        text: The lines; empty ones are left out.
    """
    values = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error.msg}") from error
    return values


@selfmade.function(
    tests=[
        {"input": {"values": [{"b": 1, "a": "é"}, 2]}, "expect": {"output": '{"a": "é", "b": 1}\n2\n'}},
        {"name": "nothing", "input": {"values": []}, "expect": {"output": ""}},
    ],
)
def write_jsonl(values: list[Any]) -> str:
    """Write values as text with one JSON value a line, names sorted, so that equal values are equal lines.

    Args:
        values: What to write.
    """
    return "".join(json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n" for value in values)


@selfmade.function(
    tests=[
        {
            "input": {"rows": [{"city": "Oslo", "rain": 3.5}, {"city": "A|B", "rain": None}]},
            "expect": {"output": "| city | rain |\n| --- | ---: |\n| Oslo | 3.5 |\n| A\\|B |  |"},
        },
        {"name": "no rows", "input": {"rows": []}, "expect": {"output": ""}},
    ],
)
def markdown_table(rows: list[dict[str, Any]], columns: list[str] | None = None) -> str:
    """Write rows as a table in Markdown, numbers to the right.

    Args:
        rows: The rows.
        columns: Which columns, in this order; all, in the order in which they appear, unless given.
    """
    columns = columns or list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return ""

    def cell(value: Any) -> str:
        text = (
            ""
            if value is None
            else value
            if isinstance(value, str)
            else json.dumps(value, ensure_ascii=False)
        )
        return text.replace("|", "\\|").replace("\n", "<br>")

    def is_number(column: str) -> bool:
        present = [row[column] for row in rows if row.get(column) is not None]
        return bool(present) and all(isinstance(value, (int, float)) for value in present)

    lines = [columns, ["---:" if is_number(column) else "---" for column in columns]]
    lines += [[cell(row.get(column)) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
