"""Server-sent events, read from whatever pieces of text they arrive in."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One server-sent event."""

    kind: str
    data: str
    id: str | None = None


class Reader:
    """Takes bytes, gives the messages that are complete."""

    def __init__(self) -> None:
        # A character may be cut in two by the end of a piece.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._kind = ""
        self._data: list[str] = []
        self._id: str | None = None

    def feed(self, piece: bytes) -> Iterator[Message]:
        """The messages that end in this piece."""
        *lines, self._rest = (self._rest + self._decoder.decode(piece)).split("\n")
        for line in lines:
            message = self._line(line.rstrip("\r"))
            if message is not None:
                yield message

    def _line(self, line: str) -> Message | None:
        if not line:
            return self._end()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        # A line that begins with a colon only keeps the connection alive.
        return None

    def _end(self) -> Message | None:
        kind, data, self._kind, self._data = self._kind or "message", self._data, "", []
        return Message(kind, "\n".join(data), self._id) if data else None
