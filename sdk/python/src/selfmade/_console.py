"""What was typed into Python's console. Since 3.13 Python remembers it; before, the history of the lines does."""

from __future__ import annotations

import ast
import sys
from types import CodeType, FunctionType
from typing import Any

# A function that is longer than this was not typed.
_MOST_LINES = 500


def typed(fn: FunctionType) -> str | None:
    """The lines of the definition, if they are among the last ones typed and make the same code."""
    lines = _history()
    for start in range(len(lines) - 1, -1, -1):
        if not lines[start].lstrip().startswith(("def ", "async def ")):
            continue
        for end in range(len(lines), start, -1):
            text = "\n".join(lines[start:end]) + "\n"
            if _makes(text, fn):
                return text
    return None


def _history() -> list[str]:
    readline: Any = sys.modules.get("readline")
    if readline is None or not hasattr(sys, "ps1"):
        return []
    last = readline.get_current_history_length()
    numbers = range(max(1, last - _MOST_LINES), last + 1)
    return [line for number in numbers for line in str(readline.get_history_item(number) or "").splitlines()]


def _makes(text: str, fn: FunctionType) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    if len(tree.body) != 1 or getattr(tree.body[0], "name", None) != fn.__name__:
        return False
    made = compile(tree, "<console>", "exec", dont_inherit=True)
    codes = [code for code in made.co_consts if isinstance(code, CodeType)]
    return any(_same(code, fn.__code__) for code in codes)


def _same(one: CodeType, other: CodeType) -> bool:
    parts = ("co_code", "co_names", "co_varnames", "co_argcount", "co_kwonlyargcount")
    return all(getattr(one, part) == getattr(other, part) for part in parts)
