"""Network namespaces of cells. Making one costs more than the rest of a cell together, so they are used again: a cell has no
power over its own, so the next one finds it as it was. One in which a listener was opened is not."""

import _socket
import ctypes
import os

from _cell_confine import CLONE_NEWNET, ioctl, setns, unshare

_SIOCGSKNS = 0x894C
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 1
# More than that are closed: an idle namespace costs kernel memory.
_KEPT = 64


class _InterfaceRequest(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 16), ("flags", ctypes.c_ushort), ("rest", ctypes.c_char * 22)]


class Network:
    def __init__(self, proxy_port):
        unshare(CLONE_NEWNET)
        probe = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        self.fd = ioctl(probe.fileno(), _SIOCGSKNS, None)
        probe.close()
        self._proxy_port = proxy_port
        self.clean = True

    def listen(self):
        """Brings loopback up and listens where the cell will look for the proxy."""
        setns(self.fd, CLONE_NEWNET)
        self.clean = False
        control = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        request = _InterfaceRequest(b"lo")
        ioctl(control.fileno(), _SIOCGIFFLAGS, ctypes.byref(request))
        request.flags |= _IFF_UP
        ioctl(control.fileno(), _SIOCSIFFLAGS, ctypes.byref(request))
        control.close()
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._proxy_port))
        listener.listen(128)
        return listener


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
