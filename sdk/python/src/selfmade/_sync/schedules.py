# Made from `_aio` by twins.py; change it there.
"""Schedules: at these times, start a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from selfmade._sync.listing import Listing
from selfmade._sync.resource import Resource, without_none
from selfmade._http import Request, segment
from selfmade._shape import load
from selfmade._values import encode
from selfmade.models import Applied, Run, Schedule, ScheduleLine


class Schedules(Resource):
    """The schedules of a brain."""

    def list(self) -> Listing[ScheduleLine]:
        """All of them, by name."""
        return Listing(self._transport, ScheduleLine, "/schedules")

    def get(self, name: str, *, times: int | None = None) -> Schedule:
        """One of them, with so many of its next times."""
        return self._get(Schedule, _path(name), {"times": times})

    def put(
        self,
        name: str,
        target: str,
        times: str | timedelta | datetime,
        *,
        zone: str | None = None,
        input: Mapping[str, Any] | None = None,
        missed: Literal["skip", "once", "all"] | None = None,
        overlap: Literal["allow", "skip", "queue"] | None = None,
        description: str | None = None,
        paused: bool | None = None,
    ) -> Applied:
        """Adds a schedule or replaces the one of that name.

        Args:
            name: its name.
            target: the function it runs.
            times: a cron expression such as `0 9 * * mon-fri` or `@daily`, a `timedelta` between runs, or one moment.
            zone: the time zone of the expression, such as `Europe/Oslo`.
            input: what each run gets.
            missed: what becomes of times that passed while no server ran.
            overlap: what happens when the run before goes on.
            description: a line about it.
            paused: whether it ticks.
        """
        content = {
            "target": target,
            "times": _times(times),
            "zone": zone,
            "input": None if input is None else encode(dict(input), "the input"),
            "missed": missed,
            "overlap": overlap,
            "description": description,
            "paused": paused,
        }
        return self._change(Applied, "PUT", _path(name), without_none(content))

    def delete(self, name: str) -> Applied:
        """Deletes it."""
        return self._change(Applied, "DELETE", _path(name))

    def pause(self, name: str) -> Applied:
        """Keeps it from ticking."""
        return self._change(Applied, "POST", f"{_path(name)}/pause")

    def resume(self, name: str) -> Applied:
        """Lets it tick again; what passed meanwhile is not made up for."""
        return self._change(Applied, "POST", f"{_path(name)}/resume")

    def run(self, name: str) -> Run:
        """Runs now what it would run, and waits for it."""
        request = Request("POST", f"{_path(name)}/run", headers={"Prefer": "wait=3600"}, timeout=None)
        return load(Run, (self._transport.send(request)).json())


def _path(name: str) -> str:
    return f"/schedules/{segment(name)}"


def _times(times: str | timedelta | datetime) -> dict[str, Any]:
    if isinstance(times, str):
        return {"cron": times}
    if isinstance(times, timedelta):
        return {"every_seconds": round(times.total_seconds())}
    # A time without a zone is one of this machine.
    return {"at": times.astimezone().isoformat()}
