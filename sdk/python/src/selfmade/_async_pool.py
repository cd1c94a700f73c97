"""Connections that an event loop keeps, and closes when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

# More than this many idle connections are closed, not kept.
_MOST_IDLE = 32


@dataclass
class Connection:
    """A connection, which belongs to the event loop it was opened in."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_open(self) -> bool:
        """Whether the other side has not closed it."""
        return not (self.reader.at_eof() or self.writer.is_closing())

    def close(self) -> None:
        """Closes it."""
        self.writer.close()


class Pool:
    """The idle connections of one event loop."""

    def __init__(self) -> None:
        self._idle: list[Connection] = []
        self._ending: AsyncGenerator[None, None] | None = None

    async def end_with_loop(self) -> None:
        """A loop that is about to be closed closes the generators that were begun in it; nothing else tells of that."""
        self._ending = self._until_the_end()
        await anext(self._ending)

    async def _until_the_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            self.close()
            # Closing takes one more turn of the loop.
            await asyncio.sleep(0)

    def kept(self) -> Connection | None:
        """One that is still open."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
            connection.close()
        return None

    def keep(self, connection: Connection, good: bool) -> None:
        """Keeps it if it can be used again."""
        if good and len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Closes all of them."""
        while self._idle:
            self._idle.pop().close()
