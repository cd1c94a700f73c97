"""The source of a function as the server stores it: the `def` alone, with the imports it uses and what was declared.

It is found wherever Python keeps sources: in files, in the cells of notebooks, in the lines of a console.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import os
import symtable
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

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
    """What a function uses from around it, told apart by what it is."""

    def __init__(self, fn: FunctionType, text: str, is_function: Callable[[Any], bool]) -> None:
        self.dependencies: dict[str, Any] = {}
        scope = {**fn.__globals__, **inspect.getclosurevars(fn).nonlocals}
        lost = []
        written = _Imports(fn)
        used, found = set(), set()
        for name, in_body in sorted(_names(text).items()):
            if name == fn.__name__ or name not in scope:
                # Itself, a built-in, or a function that only the server knows.
                continue
            value = scope[name]
            if is_function(value):
                self.dependencies[name] = value
            elif name in written.names:
                used.add(name)
            elif statement := _import(name, value, fn, text):
                found.add(statement)
            elif in_body:
                lost.append(name)
        if lost:
            raise _leans(fn, lost)
        # As `selfmade fn add` stores them: those of the file first, in its order.
        self.imports = [*written.statements(used), *sorted(found)]
        self.names_selfmade = "import selfmade" in self.imports or written.binds_selfmade(used)


def _leans(fn: FunctionType, names: list[str]) -> NoSource:
    listed = ", ".join(f"`{name}`" for name in names)
    return NoSource(
        f"`{fn.__name__}` uses {listed} from around it, which is not stored with it; move it inside, hand it over as "
        "an argument, or decorate it if it is a function"
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


class _Imports:
    """The imports at the top of a function's file or cell."""

    def __init__(self, fn: FunctionType) -> None:
        try:
            tree = ast.parse("".join(linecache.getlines(fn.__code__.co_filename)))
        except SyntaxError:
            # A cell of a notebook may have lines that are no Python.
            tree = ast.Module(body=[], type_ignores=[])
        self._nodes = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        self.names = {_bound(alias) for node in self._nodes if not _is_future(node) for alias in node.names}

    def statements(self, names: set[str]) -> Iterator[str]:
        """Those that give some of these names, in order, each with as many of them as it gives; and what changes the language."""
        for node in self._nodes:
            kept = [alias for alias in node.names if _is_future(node) or _bound(alias) in names]
            if kept and isinstance(node, ast.Import):
                yield ast.unparse(ast.Import(names=kept))
            elif kept and isinstance(node, ast.ImportFrom):
                yield ast.unparse(ast.ImportFrom(module=node.module, names=kept, level=node.level))

    def binds_selfmade(self, names: set[str]) -> bool:
        """Whether one of these statements gives `selfmade` by that name."""
        imports = [node for node in self._nodes if isinstance(node, ast.Import)]
        aliases = [alias for node in imports for alias in node.names if _bound(alias) == "selfmade"]
        return "selfmade" in names and any(alias.name.partition(".")[0] == "selfmade" for alias in aliases)


def _is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return getattr(node, "module", None) == "__future__"


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


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
    """What is sent: imports, a decorator that says what was declared, the definition."""
    arguments = ", ".join(f"{keyword}={value!r}" for keyword, value in declared.items())
    own = [] if uses.names_selfmade else ["import selfmade"]
    lines = [*uses.imports, *own, "", f"@selfmade.function({arguments})"]
    return "\n".join(lines) + "\n" + text
