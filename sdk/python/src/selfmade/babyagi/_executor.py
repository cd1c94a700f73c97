"""`func.executor`: runs functions, shows what they print, and waits for what they trigger."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from selfmade._connection import server
from selfmade.babyagi import _api, _packs
from selfmade.babyagi._framework import framework
from selfmade.babyagi._triggered import settled
from selfmade.models import Printed, RunRecord

# What BabyAGI's executor keeps for itself. Here they are for functions that have such parameters, and mean nothing to
# others.
_CONTEXT = ("executed_functions", "parent_log_id", "wrapper_log_id", "triggered_by_log_id")


class Executor:
    """Runs functions on the server."""

    # BabyAGI returns from a call when everything it triggered has run.
    wait_for_triggers = True

    def stored(self, name: str) -> Callable[..., Any]:
        """What calls a stored function.

        Raises:
            AttributeError: there is none of that name.
        """
        _packs.load_defaults()
        if framework(name) is None and not _is_stored(name):
            raise AttributeError(f"there is neither an attribute nor a stored function `{name}`")

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.execute(name, *args, **kwargs)

        call.__name__ = call.__qualname__ = name
        return call

    def execute(self, function_name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Runs a function and returns what it returns.

        Raises:
            RunFailed: it failed; a built-in exception that it raised is raised as such.
            NotFound: there is no such function.
        """
        _packs.load_defaults()
        verb = framework(function_name)
        if verb is not None:
            return verb(*args, **kwargs)
        run = server.runs.start(function_name, _arguments(function_name, kwargs), args)
        record = server.runs.get(run)
        if self.wait_for_triggers and run.state == "succeeded":
            record = settled(record)
        _show(record)
        return run.result()


def _is_stored(name: str) -> bool:
    from selfmade.babyagi._db import Db

    return Db().get_function(name) is not None


def _arguments(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if not any(word in given for word in _CONTEXT):
        return given
    function = _api.get("function", name)
    taken = {parameter["name"] for parameter in function["input_parameters"]}
    return {word: value for word, value in given.items() if word in taken or word not in _CONTEXT}


def _show(record: RunRecord) -> None:
    """Prints what it printed, and what the runs below it did."""
    _print(record.printed)
    for below in record.below:
        _print(server.runs.get(below.id).printed)


def _print(printed: list[Printed]) -> None:
    for chunk in printed:
        print(chunk.text, end="", file=sys.stdout if chunk.stream == "stdout" else sys.stderr, flush=True)
