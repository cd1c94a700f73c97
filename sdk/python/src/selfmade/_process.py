"""A `selfmade serve` that ends when this interpreter does, however that ends."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections import deque
from typing import IO

# The first start makes the database; a busy machine takes its time.
_START_SECONDS = 60.0
# What runs under way have to end, and then the server itself.
_DRAIN_SECONDS = 5
_STOP_SECONDS = 15.0
_LISTENING = re.compile(r"listening at http://(\[[^\]]+\]|[^:/\s]+):(\d+)")

# Waits in the background until its input ends, which it does with the interpreter that holds the other end; the server
# takes the place of the shell, so that its process is the one that was started here.
_WATCHED = """
exec 3<&0 </dev/null
(cat <&3 >/dev/null; kill $$) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
"""


class ServerProcess:
    """A server that was started here."""

    def __init__(self, program: str) -> None:
        arguments = [program, "serve", "--drain", str(_DRAIN_SECONDS)]
        if "SELFMADE_LISTEN" not in os.environ:
            arguments += ["--listen", "127.0.0.1:0"]
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHED, "sh", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            # Ctrl-C in a terminal interrupts what runs here, not the server.
            start_new_session=True,
        )
        self._lines: deque[str] = deque(maxlen=50)
        self._address: tuple[str, int] | None = None
        self._settled = threading.Event()
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stderr,), name="selfmade-server", daemon=True
        )
        self._reader.start()

    def _read(self, errors: IO[str]) -> None:
        """Until it ends, so that it never waits for somebody to read what it says."""
        with errors:
            for line in errors:
                self._lines.append(line.rstrip())
                found = _LISTENING.search(line)
                if found and self._address is None:
                    self._address = (found[1].strip("[]"), int(found[2]))
                    self._settled.set()
        self._settled.set()

    def wait_until_listening(self) -> tuple[str, int] | None:
        """The host and port at which it listens, or nothing if it ended before it did."""
        self._settled.wait(_START_SECONDS)
        return self._address

    def last_words(self) -> str:
        """What it said last, for those who have to find out why it does not work."""
        return "\n".join(list(self._lines)[-5:]) or "it said nothing"

    def stop(self) -> None:
        """Tells it to stop, and ends it if it does not."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        # What it said last is read now, unless something that it started still holds on to its output.
        self._reader.join(1.0)
