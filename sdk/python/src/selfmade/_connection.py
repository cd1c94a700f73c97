"""The server that `selfmade.run` and decorated functions use."""

from __future__ import annotations

import atexit

from selfmade._http import Server
from selfmade._locator import Locator, locator
from selfmade.client import AsyncClient, Client


class Switch:
    """Whatever `connect` named; before that, whatever the environment names, or the local server."""

    def __init__(self) -> None:
        self._chosen: Locator | None = None

    def _locator(self) -> Locator:
        if self._chosen is None:
            self._chosen = locator()
        return self._chosen

    @property
    def known(self) -> Server | None:
        return self._locator().known

    def find(self) -> Server:
        return self._locator().find()

    def again(self, gone: Server) -> Server | None:
        return self._locator().again(gone)

    def choose(self, chosen: Locator | None) -> None:
        """From now on this one; `None` is for what the environment says."""
        self._chosen = chosen


switch = Switch()
server = Client(server=switch)
async_server = AsyncClient(server=switch)
atexit.register(server.close)


def connect(address: str | None = None, token: str | None = None) -> Client:
    """Says which server is used from now on, and makes sure that it answers and knows the token.

    Without an address it is the one of `SELFMADE_SERVER`, else the local one, which is started if none runs. Nobody
    has to call this: the first run does the same. Returns the client, which is also `selfmade.server`.

    Raises:
        ConnectionFailed: nobody answers there.
        Unauthorized: the token is not known there.
        NoServer: none runs here and none can be started.
    """
    switch.choose(locator(address, token))
    server.functions.list().page(limit=1)
    return server
