"""Requests to BabyAGI's routes of the server, over the client's own connection."""

from __future__ import annotations

import json
from typing import Any

from selfmade._connection import server
from selfmade._errors import api_error
from selfmade._http import Request, Response, segment
from selfmade._values import decode

BASE = "/babyagi/api"


def get(*path: str, **query: Any) -> Any:
    """What is at a place."""
    return _answer(Request("GET", _path(path), query, repeatable=True, base=BASE))


def pages(*path: str, **query: Any) -> list[Any]:
    """What is at a place that answers the newest first, page by page; the oldest first, as BabyAGI has it."""
    found: list[Any] = []
    while True:
        response = server._transport.send(Request("GET", _path(path), query, repeatable=True, base=BASE))
        found = decode(_read(response)) + found
        cursor = response.headers.get("link", "").partition("cursor=")[2].partition(">")[0]
        if not cursor:
            return found
        query = {**query, "cursor": cursor}


def change(method: str, *path: str, body: Any = None) -> Any:
    """Does something at a place."""
    return _answer(Request(method, _path(path), body=body, timeout=None, base=BASE))


def _path(parts: tuple[str, ...]) -> str:
    return "/" + "/".join(segment(part) for part in parts)


def _answer(request: Request) -> Any:
    return decode(_read(server._transport.send(request)))


def _read(response: Response) -> Any:
    """What it says; where it is an error, BabyAGI's form of one."""
    if response.status < 400:
        return response.json()
    try:
        told = json.loads(response.body)
        if isinstance(told["error"], str):
            body = {"error": {"message": told["error"], "code": told.get("code"), "hint": told.get("hint")}}
            raise api_error(response.status, body, response.headers.get("x-request-id"), None)
    except (ValueError, TypeError, KeyError):
        pass
    raise response.problem()
