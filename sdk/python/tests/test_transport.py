"""Connections are kept, made again when they broke, and nothing is sent twice that must not be."""

import asyncio
import contextlib
import os
import re
import socket
import threading
import unittest

import selfmade
from selfmade._async_transport import AsyncTransport
from selfmade._http import Request, Server
from selfmade._locator import Fixed
from selfmade._transport import Transport

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n": 1\r\n1\r\n}\r\n0\r\n\r\n'
CLOSING = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
ENDLESS = b"HTTP/1.1 200 OK\r\n\r\n{}"
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{"
JUNK = b"SSH-2.0-nothing\r\n\r\n"
NEWS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n"
WHY = b'{"error": {"code": "forbidden", "message": "m"}}'
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n%s" % (len(WHY), WHY)
HANG_UP = b""


class Scripted:
    """A server that gives each connection the answers of its script, one for each request, and then closes it."""

    def __init__(self, *connections):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.requests = []
        self._thread = threading.Thread(target=self._serve, args=(connections,), daemon=True)
        self._thread.start()

    @property
    def server(self):
        return Server("127.0.0.1", self._listener.getsockname()[1], token="hush")

    def _serve(self, connections):
        for answers in connections:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                for answer in answers:
                    self.requests.append(_request(connection).decode("latin-1"))
                    connection.sendall(answer)

    def close(self):
        # Closing alone does not wake a thread that waits for a connection.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


def _request(connection):
    """A whole request: whoever closes a connection with something unread in it resets it."""
    request, missing = b"", 1
    while missing > 0:
        piece = connection.recv(65536)
        if not piece:
            break
        request += piece
        head, end, body = request.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        missing = (int(length[1]) if length else 0) - len(body) if end else 1
    return request


@contextlib.contextmanager
def scripted(*connections):
    server = Scripted(*connections)
    try:
        yield server
    finally:
        server.close()


GET = Request("GET", "/health", repeatable=True)
POST = Request("POST", "/runs", body={"é": 1})


class Blocking(unittest.TestCase):
    """What both transports do; `Awaited` runs all of it once more."""

    def open(self, server):
        transport = Transport(Fixed(server.server))
        self.addCleanup(transport.close)
        return transport

    def send(self, transport, request):
        return transport.send(request)

    def stream(self, transport, request):
        return [message.data for message in transport.stream(request)]

    def test_a_connection_is_used_again(self):
        with scripted([OK, CHUNKED]) as server:
            transport = self.open(server)
            self.assertEqual(self.send(transport, GET).json(), {})
            self.assertEqual(self.send(transport, GET).json(), {"a": 1})

    def test_a_request_says_who_asks_and_what_it_sends(self):
        with scripted([CLOSING]) as server:
            self.send(self.open(server), POST)
        [request] = server.requests
        self.assertTrue(request.startswith("POST /api/v1/runs HTTP/1.1\r\n"), request)
        for line in ("Authorization: Bearer hush", "Content-Type: application/json", "User-Agent: selfmade-python/"):
            self.assertIn(line, request)

    def test_a_connection_that_the_server_closed_is_replaced(self):
        with scripted([CLOSING], [CLOSING]) as server:
            transport = self.open(server)
            self.send(transport, GET)
            self.send(transport, POST)

    def test_what_may_be_repeated_is_sent_again_when_a_kept_connection_breaks(self):
        with scripted([OK, HANG_UP], [OK]) as server:
            transport = self.open(server)
            self.send(transport, GET)
            self.assertEqual(self.send(transport, GET).status, 200)
        self.assertEqual(len(server.requests), 3)

    def test_what_must_not_be_repeated_is_not(self):
        with scripted([OK, HANG_UP], [OK]) as server:
            transport = self.open(server)
            self.send(transport, GET)
            with self.assertRaises(selfmade.ConnectionFailed):
                self.send(transport, POST)
            self.send(transport, GET)
        self.assertEqual(sum(request.startswith("POST") for request in server.requests), 1)

    def test_an_answer_that_is_cut_off_or_is_no_http_is_a_failed_connection(self):
        for answer in (CUT, JUNK, HANG_UP):
            with self.subTest(answer), scripted([answer]) as server, self.assertRaises(selfmade.ConnectionFailed):
                self.send(self.open(server), GET)

    def test_where_nobody_listens_it_says_so(self):
        with scripted() as server:
            transport = self.open(server)
        with self.assertRaisesRegex(selfmade.ConnectionFailed, "is `selfmade serve` running"):
            self.send(transport, GET)

    def test_an_answer_may_end_with_its_connection(self):
        with scripted([ENDLESS], [ENDLESS]) as server:
            transport = self.open(server)
            self.assertEqual([self.send(transport, POST).json() for _ in range(2)], [{}, {}])

    def test_a_stream_gives_messages_and_ends(self):
        with scripted([NEWS]) as server:
            self.assertEqual(self.stream(self.open(server), GET), ["1", "2"])

    def test_a_stream_that_is_refused_says_why(self):
        with scripted([REFUSED]) as server, self.assertRaises(selfmade.Forbidden):
            self.stream(self.open(server), GET)


class Awaited(Blocking):
    def setUp(self):
        self.loop = asyncio.new_event_loop()
        self.addCleanup(self.loop.close)

    def open(self, server):
        transport = AsyncTransport(Fixed(server.server))
        self.addCleanup(lambda: self.loop.run_until_complete(transport.close()))
        return transport

    def send(self, transport, request):
        return self.loop.run_until_complete(transport.send(request))

    def stream(self, transport, request):
        async def all_of_it():
            return [message.data async for message in transport.stream(request)]

        return self.loop.run_until_complete(all_of_it())

    def test_a_header_cannot_smuggle_another_one(self):
        with scripted([OK]) as server, self.assertRaisesRegex(selfmade.ConnectionFailed, "line break"):
            self.send(self.open(server), Request("GET", "/health", headers={"A": "b\r\nC: d"}))
        self.assertNotIn("C: d", "".join(server.requests))

    def test_one_transport_serves_several_event_loops(self):
        with scripted([CLOSING], [CLOSING]) as server:
            transport = AsyncTransport(Fixed(server.server))
            for _ in range(2):
                self.assertEqual(asyncio.run(transport.send(GET)).status, 200)


class Forking(unittest.TestCase):
    def test_a_forked_child_uses_connections_of_its_own(self):
        with scripted([OK, OK], [CLOSING]) as server:
            transport = Transport(Fixed(server.server))
            self.addCleanup(transport.close)
            transport.send(GET)
            child = os.fork()
            if child == 0:
                try:
                    os._exit(transport.send(Request("GET", "/child")).status != 200)
                finally:
                    os._exit(2)
            transport.send(Request("GET", "/parent"))
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        paths = [request.split(" ")[1] for request in server.requests]
        self.assertEqual(paths, [f"/api/v1/{name}" for name in ("health", "parent", "child")])


class Moving(unittest.TestCase):
    """A local server may come back elsewhere."""

    class Locator:
        def __init__(self, first, then):
            self.known, self._then = first, then

        def find(self):
            return self.known

        def again(self, gone):
            self.known = self._then
            return self.known

    def test_a_request_follows_the_server(self):
        with scripted() as gone:
            first = gone.server
        with scripted([OK, OK], [CLOSING]) as server:
            locator = self.Locator(first, server.server)
            transport = Transport(locator)
            self.addCleanup(transport.close)
            self.assertEqual([transport.send(GET).status, transport.send(POST).status], [200, 200])
            locator.known = first
            self.assertEqual(asyncio.run(AsyncTransport(locator).send(GET)).status, 200)


if __name__ == "__main__":
    unittest.main()
