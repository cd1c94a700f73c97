# Made from `_aio` by twins.py; change it there.
"""The client: a server, its nouns, and the shortest way to run a function."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from selfmade._sync.changesets import Changesets
from selfmade._sync.events import Events
from selfmade._sync.functions import Functions
from selfmade._sync.insights import Insights
from selfmade._sync.packs import Packs
from selfmade._sync.resource import Resource
from selfmade._sync.runs import Runs
from selfmade._sync.schedules import Schedules
from selfmade._sync.secrets import Secrets
from selfmade._sync.sessions import Sessions
from selfmade._sync.tokens import Tokens
from selfmade._sync.triggers import Triggers
from selfmade._transport import Transport
from selfmade._locator import Locator, locator
from selfmade.models import Health, Hit


class Client(Resource):
    """A server.

    Without an address it is the one of `SELFMADE_SERVER`, with the token of `SELFMADE_TOKEN`; without those the local
    one, which is started when it is first needed if none runs. May be used from any number of threads and event loops.
    """

    def __init__(self, address: str | None = None, token: str | None = None, *, server: Locator | None = None) -> None:
        super().__init__(Transport(server or locator(address, token)))
        self.functions = Functions(self._transport)
        self.runs = Runs(self._transport)
        self.changesets = Changesets(self._transport)
        self.triggers = Triggers(self._transport)
        self.schedules = Schedules(self._transport)
        self.secrets = Secrets(self._transport)
        self.tokens = Tokens(self._transport)
        self.sessions = Sessions(self._transport)
        self.packs = Packs(self._transport)
        self.insights = Insights(self._transport)
        self.events = Events(self._transport)

    @property
    def located(self) -> Locator:
        """What knows where the server is."""
        return self._transport.locator

    @property
    def address(self) -> str:
        """Where the server is. The local one is started if need be."""
        return self.located.find().address

    def run(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Runs a function with these arguments and returns what it returns.

        Every keyword is an argument of the function; `runs.start` takes time-outs and the like.

        Raises:
            RunFailed: it failed; a built-in exception that it raised is raised as such.
            Refused: the arguments do not fit; nothing was started.
        """
        return (self.runs.start(function, kwargs, args)).result()

    def search(self, words: str, *, limit: int | None = None) -> list[Hit]:
        """Functions and graphs that fit the words, the best first."""
        return self.functions.search(words, limit=limit)

    def health(self) -> Health:
        """Whether the server and its database respond."""
        return self._get(Health, "/health")

    def close(self) -> None:
        """Closes idle connections. The client can still be used."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        known = self.located.known
        return f"<selfmade client of {known.address if known else 'the local server, not asked yet'}>"
