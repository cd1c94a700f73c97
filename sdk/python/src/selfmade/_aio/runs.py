"""Runs: started, waited for, followed, listed, cancelled, answered."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Any

from selfmade._aio.handle import AsyncRunHandle
from selfmade._aio.listing import AsyncListing
from selfmade._aio.pause import pause
from selfmade._aio.resource import AsyncResource, without_none
from selfmade._declared import Budget
from selfmade._errors import ConnectionFailed, SelfmadeError
from selfmade._http import USUAL_SECONDS, Request, segment
from selfmade._shape import load
from selfmade._values import encode
from selfmade._waiting import Deadline, is_settled, positional
from selfmade.models import Printed, Run, RunLine, RunRecord, Spending, Step

# The server says so much every quarter of a minute, if only that it is there.
_QUIET_SECONDS = 60.0
# How often in a row the connection may fail while a run is waited for, and the rest in between, which grows.
_TRIES = 5
_REST = 0.5


class AsyncRuns(AsyncResource):
    """The runs of a brain."""

    async def start(
        self,
        function: str,
        input: Mapping[str, Any] | None = None,
        args: Sequence[Any] = (),
        *,
        version: int | None = None,
        revision: int | None = None,
        timeout: float | None = None,
        retries: int | Mapping[str, float] | None = None,
        budget: float | Budget | None = None,
        wait: float | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Runs a function now, and answers when it has ended, well or not, or asks a person. Ctrl-C cancels it.

        Args:
            function: its name.
            input: arguments by name.
            args: arguments by position, before those by name.
            version: this one instead of the live one.
            revision: the version that was live then, calling what was live then.
            timeout: seconds it may take, instead of what it states.
            retries: the number of retries, or `{"attempts": 4, "first": 0.5, "most": 30}`: tries in total, and the
                seconds it rests in between, doubling; instead of what it states.
            budget: the most dollars that it may spend with all that it starts, or a limit each for any of `money`,
                `tokens`, `turns`, `functions`, `seconds` and `depth`; instead of what it states.
            wait: answer after so many seconds in any case; the run goes on.
            idempotency_key: a second start with this key gets the first run.

        Raises:
            Refused: the input does not fit; nothing was started.
        """
        deadline = Deadline(wait)
        body = _body(function, input, args, version, revision, timeout, retries, budget)
        key = idempotency_key or uuid.uuid4().hex
        try:
            run = await self._start(body, f"wait={deadline.whole_seconds()}", key, deadline.patience())
            return await self.wait(run, wait=deadline.left())
        except KeyboardInterrupt:
            if idempotency_key is None:
                await self._give_up(body, key)
            raise

    async def _give_up(self, body: Any, key: str) -> None:
        """Cancels a run whose id may not be known yet: asking for it once more tells."""
        with suppress(SelfmadeError):
            await self.cancel(await self._start(body, "respond-async", key, USUAL_SECONDS))

    async def submit(
        self,
        function: str,
        input: Mapping[str, Any] | None = None,
        args: Sequence[Any] = (),
        *,
        version: int | None = None,
        revision: int | None = None,
        timeout: float | None = None,
        retries: int | Mapping[str, float] | None = None,
        budget: float | Budget | None = None,
        priority: int | None = None,
        due_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncRunHandle:
        """Queues a run and returns at once. It survives the end of this program and of the server."""
        body = _body(function, input, args, version, revision, timeout, retries, budget)
        body |= without_none({"priority": priority, "due_at": due_at.isoformat() if due_at else None})
        key = idempotency_key or uuid.uuid4().hex
        run = await self._start(body, "respond-async", key, USUAL_SECONDS)
        return AsyncRunHandle(self, run)

    async def _start(self, body: Any, preference: str, key: str, patience: float | None) -> Run:
        # With a key the request may be sent again when a connection breaks, and still starts one run.
        headers = {"Prefer": preference, "Idempotency-Key": key}
        request = Request("POST", "/runs", body=body, headers=headers, repeatable=True, timeout=patience)
        return load(Run, (await self._transport.send(request)).json())

    async def get(self, run: str | Run | RunLine) -> RunRecord:
        """Everything that is known of a run."""
        return await self._get(RunRecord, _path(run))

    async def wait(self, run: str | Run, *, wait: float | None = None) -> Run:
        """The run when it has ended or asks a person; or as it is after so many seconds."""
        if isinstance(run, Run) and is_settled(run):
            return run
        deadline, failures = Deadline(wait), 0
        while True:
            try:
                await self._watch(run, deadline)
                found = await self.get(run)
            except ConnectionFailed:
                failures += 1
                if failures >= _TRIES:
                    raise
            else:
                if is_settled(found) or deadline.is_over:
                    return found
            await pause(_REST * failures)

    async def _watch(self, run: str | Run, deadline: Deadline) -> None:
        """Returns when something is worth a look."""
        try:
            async with aclosing(self._follow(run, deadline.patience(_QUIET_SECONDS))) as news:
                async for one in news:
                    if deadline.is_over or (isinstance(one, Run) and is_settled(one)):
                        return
        except ConnectionFailed:
            if not deadline.is_over:
                raise

    async def stream(self, run: str | Run) -> AsyncGenerator[Run | Step | Printed, None]:
        """What a run does until it ends: a `Run` for each state, its `Step`s, and what it `Printed`."""
        async with aclosing(self._follow(run, _QUIET_SECONDS)) as news:
            async for one in news:
                yield one

    async def _follow(self, run: str | Run, patience: float | None) -> AsyncGenerator[Run | Step | Printed, None]:
        request = Request("GET", f"{_path(run)}/stream", repeatable=True, timeout=patience)
        async with aclosing(self._transport.stream(request)) as messages:
            async for message in messages:
                kind = _NEWS.get(message.kind)
                if kind is not None:
                    yield load(kind, json.loads(message.data))

    def list(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        actor: str | None = None,
        parent: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        error: str | None = None,
    ) -> AsyncListing[RunLine]:
        """Those that fit, newest first. A name may end with `*`; states are joined by commas."""
        query = {
            "name": name,
            "state": state,
            "actor": actor,
            "parent": parent,
            "since": since,
            "until": until,
            "error": error,
        }
        return AsyncListing(self._transport, RunLine, "/runs", query)

    async def cancel(self, run: str | Run | RunLine) -> _List[str]:
        """Ends a run and everything it started; answers the ids of those."""
        request = Request("POST", f"{_path(run)}/cancel", repeatable=True)
        ids: _List[str] = (await self._transport.send(request)).json()
        return ids

    async def answer(self, run: str | Run | RunLine, value: Any) -> Run:
        """Answers the question of a run."""
        return await self._change(Run, "POST", f"{_path(run)}/answer", {"value": encode(value, "the answer")})

    async def extend(self, run: str | Run | RunLine, more: Budget) -> Spending:
        """Adds to what a run may spend, such as `{"money": 1.0}`; answers its limits and what is spent."""
        return await self._change(Spending, "POST", f"{_path(run)}/extend", dict(more))

    async def rerun(self, run: str | Run | RunLine, *, live: bool = False) -> Run:
        """Runs the same input once more, on the same version or the live one."""
        path = f"{_path(run)}/rerun"
        request = Request("POST", path, {"live": live}, headers={"Prefer": "wait=3600"}, timeout=None)
        return await self.wait(load(Run, (await self._transport.send(request)).json()))

    def handle(self, run: Run) -> AsyncRunHandle:
        """A run to wait for, follow or cancel."""
        return AsyncRunHandle(self, run)


_List = list
_NEWS: dict[str, Any] = {"state": Run, "step": Step, "printed": Printed}


def _path(run: str | Run | RunLine) -> str:
    return f"/runs/{segment(run if isinstance(run, str) else run.id)}"


def _body(
    function: str,
    input: Mapping[str, Any] | None,
    args: Sequence[Any],
    version: int | None,
    revision: int | None,
    timeout: float | None,
    retries: int | Mapping[str, float] | None,
    budget: float | Budget | None,
) -> dict[str, Any]:
    named = {name: encode(value, f"`{name}`") for name, value in (input or {}).items()}
    return {
        "function": function,
        "input": named,
        "positional": positional(args),
        **without_none(
            {
                "version": version,
                "revision": revision,
                "timeout_ms": None if timeout is None else _milliseconds(timeout),
                "retries": retries,
                "budget": {"money": budget} if isinstance(budget, (int, float)) else budget,
            }
        ),
    }


def _milliseconds(seconds: float) -> int:
    if not 0 < seconds <= 86_400:
        raise ValueError(f"`timeout` must be seconds above 0, up to 86400, not {seconds!r}")
    return max(1, round(seconds * 1000))
