"""Length-prefixed JSON frames on the cell's socket. What is in them is the business of the other modules."""

import json
import threading

_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_dumps = _encoder.encode
_loads = json.JSONDecoder().decode


class Channel:
    """The cell's end of the socket. Threads of a function may send; each frame goes out whole."""

    def __init__(self, sock, frame_bytes):
        self._sock = sock
        self._lock = threading.Lock()
        self.frame_bytes = frame_bytes

    def send(self, message):
        self.send_text(_dumps(message))

    def send_text(self, text):
        payload = text.encode("ascii")
        with self._lock:
            self._sock.sendall(len(payload).to_bytes(4, "big") + payload)

    def receive(self):
        """The next message, or None when the supervisor has gone."""
        head = self._exactly(4)
        if head is None:
            return None
        body = self._exactly(int.from_bytes(head, "big"))
        return None if body is None else _loads(body.decode("utf-8"))

    def _exactly(self, size):
        first = self._sock.recv(size)
        if len(first) == size:
            return first
        parts, missing = [first], size - len(first)
        while missing:
            if not parts[-1]:
                return None
            parts.append(self._sock.recv(min(missing, 1 << 20)))
            missing -= len(parts[-1])
        return b"".join(parts)


def to_json(message):
    return _dumps(message)
