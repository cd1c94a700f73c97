"""SQL, over rows and over a SQLite file of the run's folder."""

import json
import sqlite3
import tempfile
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {
                "sql": "select city, sum(rain) as rain from rows group by city order by rain desc",
                "rows": [
                    {"city": "Oslo", "rain": 1},
                    {"city": "Bergen", "rain": 5},
                    {"city": "Oslo", "rain": 2},
                ],
            },
            "expect": {"output": [{"city": "Bergen", "rain": 5}, {"city": "Oslo", "rain": 3}]},
        },
        {
            "name": "more tables, and values that are not written into the text",
            "input": {
                "sql": "select p.name from people p join rows r on r.id = p.id where r.n > ?",
                "rows": [{"id": 1, "n": 5}, {"id": 2, "n": 9}],
                "tables": {"people": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]},
                "values": [6],
            },
            "expect": {"output": [{"name": "Bob"}]},
        },
        {
            "name": "what is wrong with the SQL is told with the tables there are",
            "input": {"sql": "select * from row", "rows": [{"a": 1}]},
            "expect": {"error": {"type": "ValueError", "message": "no such table: row; there are: rows (a)"}},
        },
    ],
)
def query_rows(
    sql: str,
    rows: list[dict[str, Any]],
    tables: dict[str, list[dict[str, Any]]] | None = None,
    values: list[Any] | None = None,
) -> list[dict[str, Any]]:
    """Put an SQL query to rows, as if they were in a database; everything SQLite knows is there.

    Args:
        sql: One statement. The rows are the table `rows`.
        rows: The rows to ask; lists and objects in them are JSON text to SQL.
        tables: Further tables, by name.
        values: What stands for each `?` in the statement.
    """

    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def cell(value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value

    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    known = []
    for table, content in {"rows": rows, **(tables or {})}.items():
        columns = list(dict.fromkeys(name for row in content for name in row)) or ["nothing"]
        known.append(f"{table} ({', '.join(columns)})")
        database.execute(f"create table {quoted(table)} ({', '.join(map(quoted, columns))})")
        marks = ", ".join("?" * len(columns))
        cells = ([cell(row.get(name)) for name in columns] for row in content)
        database.executemany(f"insert into {quoted(table)} values ({marks})", cells)
    try:
        return [dict(row) for row in database.execute(sql, values or [])]
    except sqlite3.Error as error:
        raise ValueError(f"{error}; there are: {', '.join(known)}") from error
    finally:
        database.close()


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"file": "a.db", "sql": "select 1 + ? as two", "values": [1]},
            "mocks": [{"function": "files.list", "output": []}, {"function": "files.write", "output": None}],
            "expect": {"output": {"rows": [{"two": 2}], "changed": 0}},
        },
        {
            "name": "a file that is no database",
            "input": {"file": "a.txt", "sql": "select * from t"},
            "mocks": [
                {"function": "files.list", "output": ["a.txt"]},
                {"function": "files.read", "output": "not one, really"},
            ],
            "expect": {"error": {"type": "ValueError", "message": "not a database"}},
        },
    ],
)
def query_database(file: str, sql: str, values: list[Any] | None = None) -> dict[str, Any]:
    """Put an SQL statement to a SQLite file in the run's folder, which is made if it is not there.

    Args:
        file: The file's name. The folder belongs to the run: call this from a function with `files=True` to
            keep using it.
        sql: One statement, of any kind.
        values: What stands for each `?` in it.
    """
    from selfmade import files

    with tempfile.NamedTemporaryFile(suffix=".db") as copy:
        before = b""
        if file in files.list():
            content = files.read(file)
            before = content if isinstance(content, bytes) else content.encode()
            copy.write(before)
            copy.flush()
        database = sqlite3.connect(copy.name)
        database.row_factory = sqlite3.Row
        try:
            with database:
                cursor = database.execute(sql, values or [])
                rows = [dict(row) for row in cursor]
        except sqlite3.Error as error:
            raise ValueError(f"`{file}`: {error}") from error
        finally:
            database.close()
        copy.seek(0)
        after = copy.read()
    if after != before:
        files.write(file, after)
    return {"rows": rows, "changed": max(cursor.rowcount, 0)}
