"""What the blocking and the asynchronous transport share: requests, answers, what they mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from selfmade._errors import ApiError, SelfmadeError, api_error
from selfmade._version import __version__

# Long enough for any answer that is not a wait for a run.
USUAL_SECONDS = 60.0


@dataclass(frozen=True)
class Server:
    """Where a server is, and what opens it."""

    host: str
    port: int
    prefix: str = ""
    secure: bool = False
    token: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, address: str, token: str | None = None) -> Server:
        """From an address such as `http://127.0.0.1:7333`.

        Raises:
            SelfmadeError: it is no address of a server.
        """
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SelfmadeError(f"`{address}` is not the URL of a server; it looks like `http://127.0.0.1:7333`")
        secure = parts.scheme == "https"
        return cls(parts.hostname, parts.port or (443 if secure else 80), parts.path.rstrip("/"), secure, token)

    @property
    def address(self) -> str:
        """The address without the token."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}{self.prefix}"


@dataclass(frozen=True)
class Request:
    """One request below `/api/v1`, or below another part of the server."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    # Whether sending it twice does no more than once.
    repeatable: bool = False
    # How long one part of the answer may take; `None` is for ever.
    timeout: float | None = USUAL_SECONDS
    base: str = "/api/v1"

    def target(self, server: Server) -> str:
        asked = {key: _text(value) for key, value in self.query.items() if value is not None}
        return f"{server.prefix}{self.base}{self.path}" + (f"?{urlencode(asked)}" if asked else "")

    def payload(self) -> bytes | None:
        if self.body is None:
            return None
        return json.dumps(self.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")

    def all_headers(self, server: Server) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": f"selfmade-python/{__version__}"}
        if server.token:
            headers["Authorization"] = f"Bearer {server.token}"
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        return {**headers, **self.headers}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def segment(name: str) -> str:
    """A name as one part of a path."""
    return quote(str(name), safe="")


@dataclass(frozen=True)
class Response:
    """An answer, whole. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """What it says.

        Raises:
            ApiError: it is no success.
        """
        if self.status >= 400:
            raise self.problem()
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            raise SelfmadeError("the answer is no JSON; is this a selfmade server?") from None

    def problem(self) -> ApiError:
        try:
            body = json.loads(self.body)
        except ValueError:
            body = None
        wait = self.headers.get("retry-after", "")
        seconds = float(wait) if wait.isdigit() else None
        return api_error(self.status, body, self.headers.get("x-request-id"), seconds)
