# Made from `_aio` by twins.py; change it there.
"""What all resources do: send a request, and read the answer as a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from selfmade._transport import Transport
from selfmade._http import Request
from selfmade._shape import load

T = TypeVar("T")


class Resource:
    """A noun of the server."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _get(self, kind: type[T], path: str, query: Mapping[str, Any] | None = None) -> T:
        response = self._transport.send(Request("GET", path, query or {}, repeatable=True))
        return load(kind, response.json())

    def _get_all(self, kind: type[T], path: str, query: Mapping[str, Any] | None = None) -> list[T]:
        response = self._transport.send(Request("GET", path, query or {}, repeatable=True))
        return [load(kind, item) for item in response.json()]

    def _change(
        self, kind: type[T], method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> T:
        request = Request(method, path, body=body, headers=headers or {}, timeout=None)
        return load(kind, (self._transport.send(request)).json())

    def _do(self, method: str, path: str, body: Any = None) -> None:
        (self._transport.send(Request(method, path, body=body))).json()


def forced(path: str, force: bool) -> str:
    """The address of a change that is made although stored callers, triggers, schedules or graphs no longer fit."""
    return f"{path}?force=true" if force else path


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What was given; what is left out is left to the server."""
    return {name: value for name, value in fields.items() if value is not None}
