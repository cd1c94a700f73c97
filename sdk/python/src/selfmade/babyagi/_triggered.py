"""Waits for what a run triggered: BabyAGI returns from a call when everything it triggered has run."""

from __future__ import annotations

import time

from selfmade._connection import server
from selfmade._errors import NotFound
from selfmade.babyagi import _api
from selfmade.models import RunLine, RunRecord

# Triggers fire within milliseconds. Who waits longer waits in vain, or for a server that has much else to do.
_PATIENCE = 30.0
_REST = 0.02


def settled(record: RunRecord) -> RunRecord:
    """The record when everything that the run triggered has ended."""
    waiting = [(record.id, record.name, frozenset([record.name]))]
    while waiting:
        above, name, chain = waiting.pop()
        # What was triggered before in this chain is not triggered again.
        for target in [target for target in _api.get("triggered", name) if target not in chain]:
            started = _started(record, above, name, target)
            if started is not None and server.runs.wait(started.id).state == "succeeded":
                waiting.append((started.id, target, chain | {target}))
    return server.runs.get(record)


def _started(record: RunRecord, above: str, name: str, target: str) -> RunLine | None:
    """The run of `target` that the end of `above` led to."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        for one in server.runs.get(record).below:
            if one.above == above and one.name == target:
                return one
        if _was_stopped(record, f"{target}_after_{name}"):
            return None
        time.sleep(_REST)
    return None


def _was_stopped(record: RunRecord, trigger: str) -> bool:
    """Whether something kept the trigger from firing since the run ended, such as arguments that its target lacks."""
    try:
        firings, _ = server.triggers.firings(trigger).page(limit=5)
    except NotFound:
        return False
    return any(one.stopped and record.finished_at and one.at >= record.finished_at for one in firings)
