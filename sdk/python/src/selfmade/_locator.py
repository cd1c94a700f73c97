"""Which server a client talks to: one that was named, or the local one, found when it is first needed."""

from __future__ import annotations

import os
from typing import Protocol

from selfmade._http import Server
from selfmade._local import local_server


class Locator(Protocol):
    """Knows where the server is, or finds out."""

    @property
    def known(self) -> Server | None:
        """The server, if it was found already."""
        ...

    def find(self) -> Server:
        """The server. May take a while."""
        ...

    def again(self, gone: Server) -> Server | None:
        """Where it is now that nobody answers there any more; `None` if that was the only place."""
        ...


class Fixed:
    """A server that was named."""

    def __init__(self, server: Server) -> None:
        self.known: Server | None = server
        self._server = server

    def find(self) -> Server:
        return self._server

    def again(self, gone: Server) -> Server | None:
        return None


class Local:
    """The server of this machine's brain, started if none runs."""

    @property
    def known(self) -> Server | None:
        return local_server().known

    def find(self) -> Server:
        return local_server().find()

    def again(self, gone: Server) -> Server | None:
        return local_server().again(gone)


def locator(address: str | None = None, token: str | None = None) -> Locator:
    """For what was named, else for what `SELFMADE_SERVER` and `SELFMADE_TOKEN` name, else for the local server."""
    address = address or os.environ.get("SELFMADE_SERVER")
    if address is None:
        return Local()
    return Fixed(Server.parse(address, token or os.environ.get("SELFMADE_TOKEN")))
