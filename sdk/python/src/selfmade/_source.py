"""The source of a function as the server stores it: the `def`, with the imports and definitions it uses and what was declared.

It is found wherever Python keeps sources: in files, in the cells of notebooks, in the lines of a console.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import symtable
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

from selfmade._around import File, elsewhere
from selfmade._console import typed
from selfmade._errors import NoSource


def modified(fn: Any) -> int | None:
    """When the file of a function was last written, if it has one."""
    try:
        return os.stat(fn.__code__.co_filename).st_mtime_ns
    except OSError:
        return None


def definition(fn: FunctionType, seen: int | None) -> str:
    """The text of the `def`, without decorators. `seen` is when its file was last written when it was imported.

    Raises:
        NoSource: there is none.
    """
    if modified(fn) != seen:
        raise NoSource(f"the file of `{fn.__name__}` was changed since it was imported; import it anew")
    text = textwrap.dedent(_text(fn))
    try:
        nodes = ast.parse(text).body
    except SyntaxError:
        raise _none(fn) from None
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == fn.__name__:
            lines = text.splitlines()
            return "\n".join(lines[node.lineno - 1 : _end(node, lines)]) + "\n"
    raise _none(fn)


def _end(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Where a definition ends, with the comments inside it that follow its last statement."""
    assert node.end_lineno is not None
    end = node.end_lineno
    for number, line in enumerate(lines[end:], end + 1):
        if line.startswith((" ", "\t")) and line.lstrip().startswith("#"):
            end = number
        elif line.strip():
            break
    return end


def renamed(text: str, name: str) -> str:
    """The definition under another name, also where it calls itself.

    Raises:
        NoSource: what means itself and what means something else cannot be told apart.
    """
    node = ast.parse(text).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    if node.name == name:
        return text
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    places = [(node.lineno, node.col_offset + len(keyword) + 1)]
    if node.name in _names(text):
        places += _places(node)
    lines = text.encode().splitlines(keepends=True)
    old, new = node.name.encode(), name.encode()
    # From the end, so that what is replaced moves nothing that is still to be replaced.
    for line, column in sorted(places, reverse=True):
        row = lines[line - 1]
        if not row.startswith(old, column):
            raise NoSource(f"`{node.name}` cannot be stored as `{name}`; give the `def` that name")
        lines[line - 1] = row[:column] + new + row[column + len(old) :]
    return b"".join(lines).decode()


def _places(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, int]]:
    """Where the body of a definition names it."""
    for one in ast.walk(node):
        if isinstance(one, ast.arg) and one.arg == node.name:
            raise NoSource(f"`{node.name}` also has a parameter of that name; give the `def` the name it is stored under")
        if isinstance(one, ast.Name) and one.id == node.name:
            yield one.lineno, one.col_offset


def _text(fn: FunctionType) -> str:
    try:
        return inspect.getsource(fn)
    except (OSError, TypeError):
        text = typed(fn)
        if text is None:
            raise _none(fn) from None
        return text


def _none(fn: FunctionType) -> NoSource:
    return NoSource(
        f"the source of `{fn.__name__}` cannot be found; define it in a file or a notebook, or hand its text to "
        "`selfmade.functions.put(name, source)`"
    )


class Uses:
    """What a function uses from around it, told apart by what it is; also what is used by that."""

    def __init__(self, fn: FunctionType, text: str, is_function: Callable[[Any], bool]) -> None:
        self.dependencies: dict[str, Any] = {}
        self._fn = fn
        self._is_function = is_function
        self._closed = inspect.getclosurevars(fn).nonlocals
        self._file = File(fn.__code__.co_filename)
        self._kept = set(self._file.future())
        self._imported: set[str] = set()
        # What others of them use comes first.
        self._elsewhere: list[str] = []
        self._seen = {fn.__name__}
        self._lost: list[str] = []
        self._look(text)
        if self._lost:
            raise _leans(fn, sorted(self._lost))

    @property
    def statements(self) -> list[str]:
        """What has to stand above it, each as it is written: what its file says in the order of the file."""
        future = set(self._file.future())
        own = [self._file.text(index) for index in sorted(self._kept)]
        imported = sorted(self._imported)
        if "import selfmade" not in imported and not any(map(self._file.binds_selfmade, self._kept)):
            imported.insert(0, "import selfmade")
        return [*own[: len(future)], *imported, *self._elsewhere, *own[len(future) :]]

    def _look(self, text: str) -> None:
        for name, in_body in sorted(_names(text).items()):
            if name not in self._seen:
                self._seen.add(name)
                self._take(name, in_body, text)

    def _take(self, name: str, in_body: bool, text: str) -> None:
        is_closed = name in self._closed
        value = self._closed[name] if is_closed else self._fn.__globals__.get(name, _ABSENT)
        named = [] if is_closed else self._file.named(name)
        if self._is_function(value):
            self.dependencies[name] = value
        elif any(map(self._file.is_import, named)):
            self._kept.update(named)
        elif not any(map(self._file.is_definition, named)) and (statement := _import(name, value, self._fn, text)):
            self._imported.add(statement)
        elif named:
            self._kept.update(named)
            for index in named:
                self._look(self._file.text(index))
        elif value is _ABSENT:
            # A built-in, or a function that only the server knows.
            pass
        elif not is_closed and (statement := elsewhere(name, value)):
            self._look(statement)
            self._elsewhere.append(statement)
        elif in_body:
            self._lost.append(name)


_ABSENT = object()


def _leans(fn: FunctionType, names: list[str]) -> NoSource:
    listed = ", ".join(f"`{name}`" for name in names)
    return NoSource(
        f"`{fn.__name__}` uses {listed} from around it, whose definition cannot be found; move it inside, hand it over "
        "as an argument, or decorate it if it is a function"
    )


def _names(text: str) -> dict[str, bool]:
    """The names that a definition takes from around it, each with whether its body does, not only its head."""
    top = symtable.symtable(text, "<function>", "exec")
    names = {symbol.get_name(): False for symbol in top.get_symbols() if symbol.is_referenced()}
    names |= {name: False for name in _quoted(text)}
    names |= {name: True for child in top.get_children() for name in _globals(child)}
    return {name: in_body for name, in_body in names.items() if not hasattr(builtins, name)}


def _quoted(text: str) -> Iterator[str]:
    """The names in annotations that are written as strings."""
    for node in ast.walk(ast.parse(text)):
        for written in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(written, ast.Constant) and isinstance(written.value, str):
                try:
                    expression = ast.parse(written.value.strip(), mode="eval")
                except SyntaxError:
                    continue
                yield from (one.id for one in ast.walk(expression) if isinstance(one, ast.Name))


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced())
    for child in table.get_children():
        yield from _globals(child)


def _import(name: str, value: Any, fn: FunctionType, text: str) -> str | None:
    """A statement that gives the same value, if it is something that can be imported."""
    if isinstance(value, ModuleType):
        whole = value.__name__
        if name == whole:
            return f"import {_deepest(whole, text)}"
        return f"import {whole} as {name}"
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if module in (None, "__main__", fn.__module__) or not isinstance(own, str) or "." in own:
        return None
    if getattr(sys.modules.get(str(module)), own, None) is not value:
        return None
    return f"from {module} import {own}" if own == name else f"from {module} import {own} as {name}"


def _deepest(whole: str, text: str) -> str:
    """The deepest module that the text reaches through a package, such as `xml.etree.ElementTree`."""
    chains = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
    reached = [
        chain
        for chain in chains
        if chain.startswith(f"{whole}.") and chain in sys.modules and hasattr(sys.modules[whole], "__path__")
    ]
    return max(reached, key=len, default=whole)


def decorated(text: str, uses: Uses, declared: Mapping[str, Any]) -> str:
    """What is sent: what has to stand above it, a decorator that says what was declared, the definition."""
    arguments = ", ".join(f"{keyword}={value!r}" for keyword, value in declared.items())
    return "\n".join([*uses.statements, "", f"@selfmade.function({arguments})"]) + "\n" + text
