"""Network namespaces of cells. Making one costs more than the rest of a cell together, so they are used again: a cell has no
power over its own, so the next one finds it as it was. One in which a listener was opened is not."""

import fcntl
import os
import socket
import struct

from _cell_confine import CLONE_NEWNET, setns, unshare

_SIOCGSKNS = 0x894C
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 1
# More than that are closed: an idle namespace costs kernel memory.
_KEPT = 64


class Network:
    def __init__(self, proxy_port):
        unshare(CLONE_NEWNET)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            self.fd = fcntl.ioctl(probe, _SIOCGSKNS)
        self._proxy_port = proxy_port
        self.clean = True

    def listen(self):
        """Brings loopback up and listens where the cell will look for the proxy."""
        setns(self.fd, CLONE_NEWNET)
        self.clean = False
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            request = struct.pack("16sH14x", b"lo", 0)
            (flags,) = struct.unpack_from("H", fcntl.ioctl(control, _SIOCGIFFLAGS, request), 16)
            fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
        return socket.create_server(("127.0.0.1", self._proxy_port))


class Networks:
    def __init__(self, proxy_port):
        self._proxy_port = proxy_port
        self._free = []

    def enter(self):
        """Moves this process into a network that no cell uses; the cell forked next is born there."""
        if not self._free:
            return Network(self._proxy_port)
        network = self._free.pop()
        setns(network.fd, CLONE_NEWNET)
        return network

    def leave(self, network):
        if network.clean and len(self._free) < _KEPT:
            self._free.append(network)
        else:
            os.close(network.fd)
