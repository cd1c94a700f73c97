"""Length-prefixed JSON frames on the cell's socket. What is in them is the business of the other modules."""

import _thread
import json
import json.encoder

_CHUNK = 32 << 10


def _writer():
    """The encoder that `json.dumps` uses deep inside; what is around it costs more than a small message."""
    settings = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
    make = json.encoder.c_make_encoder
    if make is None:
        return settings.encode
    encode = make(None, settings.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)
    return lambda message: "".join(encode(message, 0))


to_json = _writer()
_scan = json.JSONDecoder().scan_once


def from_json(data):
    """What the supervisor wrote: there is no space around it."""
    return _scan(data.decode("utf-8"), 0)[0]


class Channel:
    """The cell's end of the socket. Threads of a function may send; each frame goes out whole."""

    def __init__(self, sock, frame_bytes):
        self.sock = sock
        self._rest = b""
        self._lock = _thread.allocate_lock()
        self.frame_bytes = frame_bytes

    def send(self, message):
        self.send_text(to_json(message))

    def send_text(self, text):
        payload = text.encode("ascii")
        with self._lock:
            self.sock.sendall(len(payload).to_bytes(4, "big") + payload)

    def receive(self):
        """The next message, or None when the supervisor has gone."""
        head = self._exactly(4)
        if head is None:
            return None
        body = self._exactly(int.from_bytes(head, "big"))
        return None if body is None else from_json(body)

    def _exactly(self, size):
        parts, have = [self._rest], len(self._rest)
        while have < size:
            # Most messages come whole, with one call for head and body.
            part = self.sock.recv(min(max(size - have, _CHUNK), 1 << 20))
            if not part:
                return None
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        self._rest = whole[size:]
        return whole[:size]
