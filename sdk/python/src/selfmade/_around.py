"""What stands around a function in its file or cell: imports, and definitions that are stored with it.

Which of them can be stored is for the server to judge, by one rule for whatever it is sent.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any


class File:
    """The statements at the top of a file or a cell, each with its text."""

    def __init__(self, filename: str) -> None:
        self._lines = linecache.getlines(filename)
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

    def binds_selfmade(self, index: int) -> bool:
        """Whether it gives `selfmade` by that name."""
        statement = self._statements[index]
        aliases = statement.names if isinstance(statement, ast.Import) else []
        return any(one.asname in (None, "selfmade") and one.name.partition(".")[0] == "selfmade" for one in aliases)

    def is_definition(self, index: int) -> bool:
        """Whether it is a statement that defines, and not a block in which something is defined."""
        return isinstance(self._statements[index], (*_BLOCKS, ast.Assign, ast.AnnAssign, ast.AugAssign))

    def may_give(self, index: int, value: Any) -> bool:
        """Whether the value can be what the statement gave: a literal is that value and no other."""
        written = getattr(self._statements[index], "value", None)
        try:
            literal = ast.literal_eval(written) if written is not None else value
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return True
        return literal is value or (type(literal) is type(value) and literal == value)

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
        if isinstance(statement, ast.With) and _is_imports(statement):
            yield from statement.body
        else:
            yield statement


def _is_imports(block: ast.With) -> bool:
    """Whether it is `with selfmade.imports():` around nothing else."""
    calls = [item.context_expr for item in block.items]
    named = (isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "imports" for call in calls)
    return all(named) and all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in block.body)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _bound(statement: ast.stmt) -> set[str]:
    """The names of the file that a statement gives or changes."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, _BLOCKS):
        changed = {name for one in ast.walk(statement) if isinstance(one, ast.Global) for name in one.names}
        return {statement.name} | changed
    names: set[str] = set()
    for one in _executed(statement):
        if isinstance(one, (ast.Import, ast.ImportFrom, *_BLOCKS)):
            names |= _bound(one)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        elif isinstance(one, (ast.Attribute, ast.Subscript)) and not isinstance(one.ctx, ast.Load):
            names |= _root(one)
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute):
            names |= _root(one.value.func)
    return names


def _executed(statement: ast.stmt) -> Iterator[ast.AST]:
    """What is executed with a statement, which the bodies of functions are not."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, _BLOCKS):
            waiting.extend(ast.iter_child_nodes(one))


def _root(part: ast.expr) -> set[str]:
    """`TABLE` of `TABLE["a"].append`."""
    while isinstance(part, (ast.Attribute, ast.Subscript)):
        part = part.value
    return {part.id} if isinstance(part, ast.Name) else set()


def elsewhere(name: str, value: Any) -> str | None:
    """The definition of something that is defined in another cell of a notebook, as it is written there.

    A value is never written out: it may come from where it must not be stored, such as a key from the environment.
    """
    if isinstance(value, FunctionType) and value.__name__ == name:
        try:
            return textwrap.dedent(inspect.getsource(value)).rstrip("\n")
        except (OSError, TypeError):
            return None
    for cell in reversed([filename for filename in linecache.cache if not os.path.exists(filename)]):
        around = File(cell)
        for index in reversed(around.named(name)):
            if around.is_definition(index) and around.may_give(index, value):
                return around.text(index)
    return None
