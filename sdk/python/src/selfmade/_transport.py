"""Requests that block: a pool of kept connections that any number of threads may use at once."""

from __future__ import annotations

import http.client
import select
import ssl
import threading
from collections.abc import Generator
from functools import cached_property

from selfmade._errors import ConnectionFailed
from selfmade._forks import after_fork
from selfmade._http import Request, Response, Server
from selfmade._locator import Locator
from selfmade._sse import Message, Reader

# More than this many idle connections are closed, not kept.
_MOST_IDLE = 32
# A local server accepts at once, one far away within seconds.
_CONNECT_SECONDS = 10.0


_Exchange = tuple[http.client.HTTPConnection, http.client.HTTPResponse]


class Transport:
    """Sends requests to one server."""

    def __init__(self, locator: Locator) -> None:
        self.locator = locator
        self._server: Server | None = None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        after_fork(self)

    def forget(self) -> None:
        """Begins without connections. In a forked child they are the parent's, and its lock may be held for ever."""
        self._lock = threading.Lock()
        self.close()

    def send(self, request: Request) -> Response:
        """The whole answer, whatever its status.

        Raises:
            ConnectionFailed: there was none.
        """
        connection, answer = self._exchange(request)
        try:
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise failed(self.locator.find(), error) from error
        response = Response(answer.status, _headers(answer), body)
        self._keep(connection, answer)
        return response

    def stream(self, request: Request) -> Generator[Message, None, None]:
        """Server-sent events as they arrive, until the server ends them.

        Raises:
            ApiError: the server refused.
            ConnectionFailed: it went away.
        """
        connection, answer = self._exchange(request)
        try:
            if answer.status != 200:
                raise Response(answer.status, _headers(answer), answer.read()).problem()
            reader = Reader()
            while piece := answer.read1(65536):
                yield from reader.feed(piece)
        except (OSError, http.client.HTTPException) as error:
            raise failed(self.locator.find(), error) from error
        finally:
            connection.close()

    def close(self) -> None:
        """Closes the connections that are idle. The next request opens one again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        self.close()

    def _exchange(self, request: Request) -> _Exchange:
        """Sends it and reads the head of the answer."""
        server = self._found(self.locator.find())
        try:
            return self._anyhow(server, request)
        except ConnectionRefusedError as error:
            elsewhere = self.locator.again(server)
            if elsewhere is None:
                raise failed(server, error) from error
            return self._tell(elsewhere, request)
        except (OSError, http.client.HTTPException) as error:
            raise failed(server, error) from error

    def _tell(self, server: Server, request: Request) -> _Exchange:
        try:
            return self._try(self._open(self._found(server)), server, request)
        except (OSError, http.client.HTTPException) as error:
            raise failed(server, error) from error

    def _anyhow(self, server: Server, request: Request) -> _Exchange:
        """Over a kept connection if there is a good one.

        A server closes those when it likes: what may be repeated is then sent again.
        """
        kept = self._kept()
        if kept is not None:
            try:
                return self._try(kept, server, request)
            except (OSError, http.client.HTTPException) as error:
                if not request.repeatable or isinstance(error, TimeoutError):
                    raise
        return self._try(self._open(server), server, request)

    def _try(self, connection: http.client.HTTPConnection, server: Server, request: Request) -> _Exchange:
        try:
            if connection.sock is None:
                connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(request.timeout)
            connection.request(request.method, request.target(server), request.payload(), request.all_headers(server))
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _found(self, server: Server) -> Server:
        """Connections to where it was before are of no use."""
        if self._server not in (None, server):
            self.close()
        self._server = server
        return server

    def _open(self, server: Server) -> http.client.HTTPConnection:
        if server.secure:
            return http.client.HTTPSConnection(server.host, server.port, timeout=_CONNECT_SECONDS, context=self._tls)
        return http.client.HTTPConnection(server.host, server.port, timeout=_CONNECT_SECONDS)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _kept(self) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if _is_open(connection):
                return connection
            connection.close()

    def _keep(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        with self._lock:
            if not answer.will_close and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def failed(server: Server, error: BaseException) -> ConnectionFailed:
    """What went wrong with the connection, and what to look at."""
    if isinstance(error, TimeoutError):
        return ConnectionFailed(f"the server at {server.address} did not answer in time")
    if isinstance(error, ConnectionRefusedError):
        return ConnectionFailed(f"no server answers at {server.address}; is `selfmade serve` running there?")
    text = str(error) or type(error).__name__
    return ConnectionFailed(f"the connection to the server at {server.address} failed: {text}")


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """An idle connection on which something arrives is one that the server has closed."""
    if connection.sock is None:
        return False
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return not poll.poll(0)


def _headers(answer: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}
