"""What stands around a function in its file or cell: imports, and definitions that are stored with it.

Which of them can be stored is for the server to judge, by one rule for whatever it is sent.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any


class File:
    """The statements at the top of a file or a cell, each with its text."""

    def __init__(self, fn: FunctionType) -> None:
        self._lines = linecache.getlines(fn.__code__.co_filename)
        try:
            tree = ast.parse("".join(self._lines))
        except SyntaxError:
            # A cell of a notebook may have lines that are no Python.
            tree = ast.Module([], [])
        self._statements = list(_flattened(tree.body))
        self._named: dict[str, list[int]] = {}
        for index, statement in enumerate(self._statements):
            for name in _bound(statement):
                self._named.setdefault(name, []).append(index)

    def named(self, name: str) -> list[int]:
        """The statements that give the name."""
        return self._named.get(name, [])

    def future(self) -> list[int]:
        """What changes how the file is compiled."""
        return [index for index, statement in enumerate(self._statements) if _is_future(statement)]

    def is_import(self, index: int) -> bool:
        """Whether it is an import statement."""
        return isinstance(self._statements[index], (ast.Import, ast.ImportFrom))

    def is_definition(self, index: int) -> bool:
        """Whether it is a statement that defines, and not a block in which something is defined."""
        return isinstance(self._statements[index], (*_BLOCKS, ast.Assign, ast.AnnAssign, ast.AugAssign))

    def text(self, index: int) -> str:
        """The lines of a statement, with its decorators and comments, as if it stood at the left."""
        statement = self._statements[index]
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(one.lineno for one in decorators)])
        last = statement.end_lineno or statement.lineno
        inner = range(last, len(self._lines)) if isinstance(statement, _BLOCKS) else ()
        for number in inner:
            line = self._lines[number]
            if line.strip() and not line.startswith((" ", "\t")):
                break
            if line.strip():
                last = number + 1
        return textwrap.dedent("".join(self._lines[first - 1 : last])).rstrip("\n")


_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _flattened(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """With what is inside `with selfmade.imports():` in its place."""
    for statement in body:
        if isinstance(statement, ast.With) and all(_is_imports(item.context_expr) for item in statement.items):
            yield from statement.body
        else:
            yield statement


def _is_imports(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and ast.unparse(expression.func).rpartition(".")[2] == "imports"


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _bound(statement: ast.stmt) -> set[str]:
    """The names of the file that a statement gives or changes."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, _BLOCKS):
        changed = {name for one in ast.walk(statement) if isinstance(one, ast.Global) for name in one.names}
        return {statement.name} | changed
    imported = [one for one in ast.walk(statement) if isinstance(one, (ast.Import, ast.ImportFrom))]
    if imported:
        return set().union(*map(_bound, imported))
    names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return names | {one.name for one in ast.walk(statement) if isinstance(one, _BLOCKS)}


def carried(name: str, value: Any) -> str | None:
    """The definition of something that was defined elsewhere, as in another cell of a notebook, if it can be written."""
    if isinstance(value, FunctionType) and value.__name__ == name:
        try:
            return textwrap.dedent(inspect.getsource(value)).rstrip("\n")
        except (OSError, TypeError):
            return None
    written = repr(value)
    try:
        same = ast.literal_eval(written) == value
    except (SyntaxError, ValueError, TypeError):
        return None
    return f"{name} = {written}" if same is True else None
