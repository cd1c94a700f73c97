"""The client: a server, its nouns, and the shortest way to run a function."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from selfmade._aio.changesets import AsyncChangesets
from selfmade._aio.events import AsyncEvents
from selfmade._aio.functions import AsyncFunctions
from selfmade._aio.insights import AsyncInsights
from selfmade._aio.packs import AsyncPacks
from selfmade._aio.resource import AsyncResource
from selfmade._aio.runs import AsyncRuns
from selfmade._aio.schedules import AsyncSchedules
from selfmade._aio.secrets import AsyncSecrets
from selfmade._aio.sessions import AsyncSessions
from selfmade._aio.tokens import AsyncTokens
from selfmade._aio.triggers import AsyncTriggers
from selfmade._async_transport import AsyncTransport
from selfmade._locator import Locator, locator
from selfmade.models import Health, Hit


class AsyncClient(AsyncResource):
    """A server.

    Without an address it is the one of `SELFMADE_SERVER`, with the token of `SELFMADE_TOKEN`; without those the local
    one, which is started when it is first needed if none runs. May be used from any number of threads and event loops.
    """

    def __init__(self, address: str | None = None, token: str | None = None, *, server: Locator | None = None) -> None:
        super().__init__(AsyncTransport(server or locator(address, token)))
        self.functions = AsyncFunctions(self._transport)
        self.runs = AsyncRuns(self._transport)
        self.changesets = AsyncChangesets(self._transport)
        self.triggers = AsyncTriggers(self._transport)
        self.schedules = AsyncSchedules(self._transport)
        self.secrets = AsyncSecrets(self._transport)
        self.tokens = AsyncTokens(self._transport)
        self.sessions = AsyncSessions(self._transport)
        self.packs = AsyncPacks(self._transport)
        self.insights = AsyncInsights(self._transport)
        self.events = AsyncEvents(self._transport)

    @property
    def located(self) -> Locator:
        """What knows where the server is."""
        return self._transport.locator

    @property
    def address(self) -> str:
        """Where the server is. The local one is started if need be."""
        return self.located.find().address

    async def run(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Runs a function with these arguments and returns what it returns.

        Every keyword is an argument of the function; `runs.start` takes time-outs and the like.

        Raises:
            RunFailed: it failed; a built-in exception that it raised is raised as such.
            Refused: the arguments do not fit; nothing was started.
        """
        return (await self.runs.start(function, kwargs, args)).result()

    async def search(self, words: str, *, limit: int | None = None) -> list[Hit]:
        """Functions and graphs that fit the words, the best first."""
        return await self.functions.search(words, limit=limit)

    async def health(self) -> Health:
        """Whether the server and its database respond."""
        return await self._get(Health, "/health")

    async def close(self) -> None:
        """Closes idle connections. The client can still be used."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        known = self.located.known
        return f"<selfmade client of {known.address if known else 'the local server, not asked yet'}>"
