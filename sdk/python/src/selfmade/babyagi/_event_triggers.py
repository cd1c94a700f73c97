"""`register_trigger`: runs a function when something happens to another, in the words of articles about BabyAGI."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from selfmade._connection import server

# Each event by the names it goes by, and the server's kind of event.
_KINDS = {
    "function_added": "function.added",
    "function_created": "function.added",
    "function_registered": "function.added",
    "function_updated": "function.updated",
    "function_changed": "function.updated",
    "function_added_or_updated": "function.*",
    "function_deleted": "function.deleted",
    "function_removed": "function.deleted",
    "function_executed": "run.finished",
    "function_completed": "run.finished",
    "function_failed": "run.failed",
}
# A pattern of kinds has no alternatives, so one that is too wide is narrowed by a condition.
_NARROWED = {"function_added_or_updated": "event.kind != 'function.deleted'"}
# Where a condition finds what it names: in the event, in the metadata of a function that changed, in what a run returned.
_PLACES = ("event", "event.metadata", "event.output")

Named = str | Callable[..., Any]


def register_trigger(
    event_type: str,
    target_function: Named | None = None,
    trigger_function: Named | None = None,
    conditions: Mapping[str, Any] | str | None = None,
    *,
    name: str | None = None,
) -> None:
    """Runs `trigger_function` whenever the event happens to `target_function`.

    Args:
        event_type: `function_updated`, `function_added`, `function_executed` and the like, or a kind of event of the
            server's such as `run.failed` or `custom.mail_arrived`.
        target_function: the function that is watched, or a pattern of names; any function if it is not given.
        trigger_function: the function that is run. Its first parameter gets the name of the function that changed, or
            what the run returned.
        conditions: values that must hold, by name; a list means one of its values. Or an expression over the event.
        name: of the trigger; made from the other names if it is not given.
    """
    if trigger_function is None:
        raise TypeError("`trigger_function` has to name the function that is run")
    run, watched = _name(trigger_function), None if target_function is None else _name(target_function)
    parts = [_NARROWED.get(event_type), _condition(conditions)]
    server.triggers.put(
        name or f"{run}_on_{_word(event_type)}_of_{_word(watched or 'any')}",
        run,
        on=_KINDS.get(event_type, event_type),
        source=watched,
        condition=" and ".join(part for part in parts if part) or None,
    )


def _name(function: Named) -> str:
    return function if isinstance(function, str) else function.__name__


def _word(text: str) -> str:
    return re.sub(r"\W", "_", text)


def _condition(conditions: Mapping[str, Any] | str | None) -> str | None:
    if not conditions:
        return None
    if isinstance(conditions, str):
        return f"({conditions})"
    return " and ".join(f"({_holds(key, value)})" for key, value in conditions.items())


def _holds(key: str, value: Any) -> str:
    path = "".join(f"[{json.dumps(part)}]" for part in key.split("."))
    found = [f"{place}{path}" for place in _PLACES]
    if value is None:
        return " and ".join(f"({one} is undefined or {one} is none)" for one in found)
    if isinstance(value, (list, tuple, set, frozenset)):
        return " or ".join(f"{one} in {_literal(list(value))}" for one in found)
    return " or ".join(f"{one} == {_literal(value)}" for one in found)


def _literal(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise TypeError(
            f"the condition {value!r} cannot be checked by the server; write text, numbers, lists of them, or an "
            "expression such as `event.output.score > 0.8`"
        ) from None
