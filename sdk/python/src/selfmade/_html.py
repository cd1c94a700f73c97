"""How things look in a notebook. Everything that comes from elsewhere is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

# What is longer is cut: a cell of a notebook is for looking, `raw` has the rest.
_MOST_TEXT = 2000
_PRE = '<pre style="margin:0;white-space:pre-wrap">{}</pre>'
_CELL = "text-align:left;vertical-align:top"


def code(title: str, text: str) -> str:
    """A title in code, and a text below it."""
    below = f"<div>{escape(text)}</div>" if text else ""
    return f"<div><code>{escape(title)}</code>{below}</div>"


def facts(title: str, pairs: Mapping[str, Any]) -> str:
    """A title, and what is known, line by line."""
    rows = (
        f'<tr><th style="{_CELL}">{escape(name)}</th><td style="{_CELL}">{_shown(value)}</td></tr>'
        for name, value in pairs.items()
        if value not in (None, "", [], {})
    )
    return f"<table><caption>{escape(title)}</caption>{''.join(rows)}</table>"


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> str:
    """A table, and a line below it."""
    head = "".join(f'<th style="{_CELL}">{escape(header)}</th>' for header in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{_shown(value)}</td>' for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + (
        f"<p>{escape(note)}</p>" if note else ""
    )


def _shown(value: Any) -> str:
    if value is None:
        return ""
    text = _text(value)
    text = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} … ({len(text) - _MOST_TEXT} more characters)"
    return _PRE.format(escape(text)) if "\n" in text else escape(text)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value)
    return value if isinstance(value, str) else str(value)
