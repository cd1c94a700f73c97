"""Where a process of this user listens, as Linux tells it."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Iterator

_LISTENS = "0A"


def listening(pid: int) -> list[tuple[str, int]]:
    """Hosts and ports; none if the process is gone, is somebody else's, or the system does not tell."""
    try:
        own = set(_files(pid))
        sockets = [*_sockets(pid, "tcp"), *_sockets(pid, "tcp6")]
    except OSError:
        return []
    return [(host, port) for inode, host, port in sockets if f"socket:[{inode}]" in own]


def _files(pid: int) -> Iterator[str]:
    for file in os.listdir(f"/proc/{pid}/fd"):
        # It may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(f"/proc/{pid}/fd/{file}")


def _sockets(pid: int, table: str) -> Iterator[tuple[str, str, int]]:
    with open(f"/proc/{pid}/net/{table}", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    for row in rows:
        if row[3] == _LISTENS:
            address, _, port = row[1].partition(":")
            yield row[9], _host(address), int(port, 16)


def _host(text: str) -> str:
    """Four bytes or sixteen, in words of the machine's byte order."""
    words = [int(text[n : n + 8], 16) for n in range(0, len(text), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    if not any(packed):
        # All addresses: this machine reaches it at its own.
        return "127.0.0.1" if len(packed) == 4 else "::1"
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)
