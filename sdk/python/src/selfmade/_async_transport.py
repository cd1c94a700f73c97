"""Requests that are awaited: HTTP/1.1 over asyncio's streams, with kept connections for each event loop."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from selfmade._async_pool import Connection, Pool
from selfmade._http import Request, Response, Server
from selfmade._locator import Locator
from selfmade._sse import Message, Reader
from selfmade._transport import failed

_CONNECT_SECONDS = 10.0
_STATUS = re.compile(r"HTTP/1\.[01] (\d{3})\b")
# What ends an exchange that cannot be made: the network, time, or an answer that is no HTTP.
_BROKEN = (OSError, EOFError, ValueError, asyncio.TimeoutError, asyncio.LimitOverrunError)


@dataclass
class _Head:
    status: int
    headers: dict[str, str]


class AsyncTransport:
    """Sends requests to one server, from any event loop."""

    def __init__(self, locator: Locator) -> None:
        self.locator = locator
        self._server: Server | None = None
        # A connection belongs to the loop it was opened in, and ends with it.
        self._idle: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()

    async def send(self, request: Request) -> Response:
        """The whole answer, whatever its status.

        Raises:
            ConnectionFailed: there was none.
        """
        connection, head = await self._exchange(request)
        whole = False
        try:
            pieces = [piece async for piece in _body(connection.reader, request, head)]
            whole = True
        except _BROKEN as error:
            raise failed(self.locator.find(), error) from error
        finally:
            (await self._pool()).keep(connection, whole and _stays(head))
        return Response(head.status, head.headers, b"".join(pieces))

    async def stream(self, request: Request) -> AsyncGenerator[Message, None]:
        """Server-sent events as they arrive, until the server ends them.

        Raises:
            ApiError: the server refused.
            ConnectionFailed: it went away.
        """
        connection, head = await self._exchange(request)
        try:
            pieces = _body(connection.reader, request, head)
            if head.status != 200:
                body = b"".join([piece async for piece in pieces])
                raise Response(head.status, head.headers, body).problem()
            reader = Reader()
            async for piece in pieces:
                for message in reader.feed(piece):
                    yield message
        except _BROKEN as error:
            raise failed(self.locator.find(), error) from error
        finally:
            connection.close()

    async def close(self) -> None:
        """Closes the connections that are idle in this event loop. The next request opens one again."""
        (await self._pool()).close()

    async def _exchange(self, request: Request) -> tuple[Connection, _Head]:
        """Sends it and reads the head of the answer."""
        known = self.locator.known
        server = await self._found(known if known else await asyncio.to_thread(self.locator.find))
        try:
            return await self._anyhow(server, request)
        except ConnectionRefusedError as error:
            elsewhere = await asyncio.to_thread(self.locator.again, server)
            if elsewhere is None:
                raise failed(server, error) from error
            return await self._tell(elsewhere, request)
        except _BROKEN as error:
            raise failed(server, error) from error

    async def _tell(self, server: Server, request: Request) -> tuple[Connection, _Head]:
        try:
            return await self._try(await self._open(await self._found(server)), server, request)
        except _BROKEN as error:
            raise failed(server, error) from error

    async def _anyhow(self, server: Server, request: Request) -> tuple[Connection, _Head]:
        """Over a kept connection if there is a good one.

        A server closes those when it likes: what may be repeated is then sent again.
        """
        kept = (await self._pool()).kept()
        if kept is not None:
            try:
                return await self._try(kept, server, request)
            except _BROKEN as error:
                if not request.repeatable or isinstance(error, asyncio.TimeoutError):
                    raise
        return await self._try(await self._open(server), server, request)

    async def _try(self, connection: Connection, server: Server, request: Request) -> tuple[Connection, _Head]:
        try:
            connection.writer.write(_written(request, server))
            await connection.writer.drain()
            return connection, await asyncio.wait_for(_head(connection.reader), request.timeout)
        except BaseException:
            connection.close()
            raise

    async def _found(self, server: Server) -> Server:
        """Connections to where it was before are of no use."""
        if self._server not in (None, server):
            await self.close()
        self._server = server
        return server

    async def _open(self, server: Server) -> Connection:
        opening = asyncio.open_connection(server.host, server.port, ssl=self._tls if server.secure else None)
        return Connection(*await asyncio.wait_for(opening, _CONNECT_SECONDS))

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    async def _pool(self) -> Pool:
        loop = asyncio.get_running_loop()
        pool = self._idle.get(loop)
        if pool is None:
            pool = self._idle[loop] = Pool()
            await pool.end_with_loop()
        return pool


def _stays(head: _Head) -> bool:
    """Whether the connection can be used again."""
    bounded = {"content-length", "transfer-encoding"} & set(head.headers) or head.status in (204, 304)
    return bool(bounded) and head.headers.get("connection", "").lower() != "close"


def _written(request: Request, server: Server) -> bytes:
    payload = request.payload()
    host = f"[{server.host}]" if ":" in server.host else server.host
    headers = {"Host": f"{host}:{server.port}", **request.all_headers(server)}
    if payload is not None or request.method in ("POST", "PUT"):
        headers["Content-Length"] = str(len(payload or b""))
    lines = [f"{request.method} {request.target(server)} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header has a line break in it")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (payload or b"")


async def _head(reader: asyncio.StreamReader) -> _Head:
    status, headers = 100, dict[str, str]()
    # What comes before the answer itself, such as `100 Continue`, says nothing that matters here.
    while status < 200:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = text.rstrip("\r\n").split("\r\n")
        status = _status(first)
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return _Head(status, headers)


def _status(line: str) -> int:
    found = _STATUS.match(line)
    if found is None:
        raise ValueError("the answer is no HTTP")
    return int(found[1])


async def _body(reader: asyncio.StreamReader, request: Request, head: _Head) -> AsyncGenerator[bytes, None]:
    """The pieces of a body. Each may take as long as the request says."""
    if head.headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int(await asyncio.wait_for(reader.readline(), request.timeout), 16):
            piece = await asyncio.wait_for(reader.readexactly(size + 2), request.timeout)
            yield piece[:-2]
        while (await asyncio.wait_for(reader.readline(), request.timeout)).strip():
            pass
    elif "content-length" in head.headers:
        length = int(head.headers["content-length"])
        if length:
            yield await asyncio.wait_for(reader.readexactly(length), request.timeout)
    elif head.status not in (204, 304):
        # It ends with the connection.
        while piece := await asyncio.wait_for(reader.read(65536), request.timeout):
            yield piece
