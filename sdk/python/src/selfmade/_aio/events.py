"""Events: facts as they happen."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from selfmade._aio.pause import pause
from selfmade._aio.resource import AsyncResource
from selfmade._errors import ConnectionFailed
from selfmade._http import Request
from selfmade._shape import load
from selfmade.models import Event

# The server says something every quarter of a minute; a connection that is silent for longer is dead.
_QUIET_SECONDS = 45.0
_FIRST_REST = 0.2
_LONGEST_REST = 10.0


class AsyncEvents(AsyncResource):
    """The log of events of a brain."""

    async def stream(
        self,
        kind: str | None = None,
        *,
        source: str | None = None,
        after: int | None = None,
        tries: int = 10,
    ) -> AsyncGenerator[Event, None]:
        """Events as they happen, for ever.

        A connection that breaks is made again: from `after`, or from the first event that came, there is no gap and no
        repeat.

        Args:
            kind: kinds or patterns of kinds, joined by commas: `run.*,function.updated`.
            source: a name, or a pattern of names, of what they are about.
            after: those after this sequence number; 0 is the beginning. New ones only if not given.
            tries: how often in a row the connection may fail.

        Raises:
            ConnectionFailed: it failed that often.
        """
        failures = 0
        while True:
            try:
                async with aclosing(self._connection(kind, source, after)) as events:
                    async for event in events:
                        failures, after = 0, event.seq
                        yield event
            except ConnectionFailed:
                failures += 1
                if failures >= tries:
                    raise
            await pause(min(_LONGEST_REST, _FIRST_REST * 2**failures))

    async def _connection(self, kind: str | None, source: str | None, after: int | None) -> AsyncGenerator[Event, None]:
        query = {"kind": kind, "source": source, "after": after}
        request = Request("GET", "/events", query, repeatable=True, timeout=_QUIET_SECONDS)
        async with aclosing(self._transport.stream(request)) as messages:
            async for message in messages:
                yield load(Event, json.loads(message.data))
