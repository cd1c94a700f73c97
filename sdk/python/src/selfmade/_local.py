"""The local server: found if one serves the brain already, else started, and ended with this interpreter.

Which brain that is, the `selfmade` program decides: `SELFMADE_HOME`, a folder `.selfmade` here or above, the platform's
data folder.
"""

from __future__ import annotations

import atexit
import threading
import time
from functools import lru_cache

from selfmade._binary import binary
from selfmade._brain import Brain
from selfmade._errors import ApiError, ConnectionFailed, NoServer
from selfmade._forks import after_fork
from selfmade._http import Request, Server
from selfmade._process import ServerProcess
from selfmade._token import OwnToken

# How long somebody else may take who is starting one at the same time, and the rest between looking.
_OTHERS_SECONDS = 30.0
_REST_SECONDS = 0.1


class LocalServer:
    """The server of the brain that this process uses. Any number of threads may ask for it."""

    def __init__(self) -> None:
        self.known: Server | None = None
        self._process: ServerProcess | None = None
        self._last_words = ""
        self._lock = threading.Lock()
        after_fork(self)

    def forget(self) -> None:
        """A forked child uses the server of its parent, but it is not for it to end it."""
        self._process = None
        self._lock = threading.Lock()

    def find(self) -> Server:
        """The server, started if need be.

        Raises:
            NoServer: none runs and none can be started.
        """
        with self._lock:
            if self.known is None:
                self.known = self._found(Brain.here())
            return self.known

    def again(self, gone: Server) -> Server:
        """The server, after it did not answer where it was."""
        with self._lock:
            if self.known == gone:
                self.known = None
        return self.find()

    def _found(self, brain: Brain) -> Server:
        """Somebody else may be starting one at the same time: it has the brain already, but does not listen yet."""
        end = time.monotonic() + _OTHERS_SECONDS
        while True:
            server = _running(brain) or self._start(brain)
            if server is not None:
                return server
            if not brain.is_served() or time.monotonic() > end:
                raise NoServer(f"no local server could be started: {self._last_words}")
            time.sleep(_REST_SECONDS)

    def _start(self, brain: Brain) -> Server | None:
        """One of our own, unless the brain has one already or it cannot be started."""
        process = ServerProcess(binary())
        address = process.wait_until_listening()
        server = _signed_in(brain, *address) if address else None
        if server is None:
            process.stop()
            self._last_words = process.last_words()
        else:
            self._process = process
        return server

    def close(self) -> None:
        """Ends the server if it is ours."""
        with self._lock:
            process, self._process, self.known = self._process, None, None
        if process is not None:
            process.stop()


@lru_cache(maxsize=1)
def local_server() -> LocalServer:
    """The one of this process."""
    server = LocalServer()
    atexit.register(server.close)
    return server


def _running(brain: Brain) -> Server | None:
    """One that somebody else started."""
    found = (_signed_in(brain, host, port) for host, port in brain.served_at())
    return next((server for server in found if server is not None), None)


def _signed_in(brain: Brain, host: str, port: int) -> Server | None:
    """With the token that this package has for the brain, or a new one; nothing if this is no server of that brain."""
    token = OwnToken(brain.home)
    for text in (token.kept(), None):
        server = Server(host, port, token=text or token.make())
        if _accepts(server):
            return server
    return None


def _accepts(server: Server) -> bool:
    from selfmade._locator import Fixed
    from selfmade._transport import Transport

    transport = Transport(Fixed(server))
    try:
        transport.send(Request("GET", "/functions", {"limit": 1}, timeout=10)).json()
    except (ConnectionFailed, ApiError):
        return False
    finally:
        transport.close()
    return True
