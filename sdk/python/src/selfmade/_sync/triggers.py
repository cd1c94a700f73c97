# Made from `_aio` by twins.py; change it there.
"""Triggers: when an event matches, start a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from selfmade._sync.listing import Listing
from selfmade._sync.resource import Resource, without_none
from selfmade._http import segment
from selfmade._values import encode
from selfmade.models import Applied, Firing, Rehearsal, Trigger, TriggerLine


class Triggers(Resource):
    """The triggers of a brain."""

    def list(self) -> Listing[TriggerLine]:
        """All of them, by name."""
        return Listing(self._transport, TriggerLine, "/triggers")

    def get(self, name: str) -> Trigger:
        """One of them, with what it did lately."""
        return self._get(Trigger, _path(name))

    def put(
        self,
        name: str,
        target: str,
        *,
        on: str = "run.finished",
        source: str | None = None,
        condition: str | None = None,
        input: Mapping[str, Any] | None = None,
        rate: tuple[int, int] | None = None,
        debounce: float | None = None,
        description: str | None = None,
        enabled: bool | None = None,
    ) -> Applied:
        """Adds a trigger or replaces the one of that name.

        Args:
            name: its name.
            target: the function it runs.
            on: a kind of events, or a pattern such as `run.*`.
            source: a name, or a pattern of names, of what the events are about.
            condition: an expression such as `event.output.score > 0.8`.
            input: how an event becomes input; by default what came out above is the first argument.
            rate: at most so many runs in so many seconds.
            debounce: seconds of quiet after which it fires, on the last event.
            description: a line about it.
            enabled: whether it fires.
        """
        content = {
            "target": target,
            "on": on,
            "source": source,
            "condition": condition,
            "input": None if input is None else encode(dict(input), "the input"),
            "rate_limit": None if rate is None else {"runs": rate[0], "seconds": rate[1]},
            "debounce_ms": None if debounce is None else round(debounce * 1000),
            "description": description,
            "enabled": enabled,
        }
        return self._change(Applied, "PUT", _path(name), without_none(content))

    def delete(self, name: str) -> Applied:
        """Deletes it."""
        return self._change(Applied, "DELETE", _path(name))

    def enable(self, name: str) -> Applied:
        """Lets it fire again, on what happens from now on."""
        return self._change(Applied, "POST", f"{_path(name)}/enable")

    def disable(self, name: str) -> Applied:
        """Keeps it from firing."""
        return self._change(Applied, "POST", f"{_path(name)}/disable")

    def dry_run(self, name: str, *, since: datetime | None = None) -> Rehearsal:
        """What it would have fired on."""
        return self._get(Rehearsal, f"{_path(name)}/dry-run", {"since": since})

    def firings(self, name: str) -> Listing[Firing]:
        """What it did about each event, newest first."""
        return Listing(self._transport, Firing, f"{_path(name)}/firings")


def _path(name: str) -> str:
    return f"/triggers/{segment(name)}"
