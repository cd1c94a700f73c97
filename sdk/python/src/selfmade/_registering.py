"""Stores decorated functions on a server: each once for each server, and together with those it calls."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from selfmade._errors import BadRequest, Refused, api_error
from selfmade._forks import after_fork
from selfmade._http import Server
from selfmade._preparing import prepare, saying
from selfmade.client import Client
from selfmade.models import Changeset, Moved

if TYPE_CHECKING:
    from selfmade._managed import ManagedFunction


class Known:
    """The versions that were stored, by server and by the function's code: one that is defined anew is another one."""

    def __init__(self) -> None:
        self.versions: dict[tuple[Server, Any], int] = {}
        self.lock = threading.Lock()
        after_fork(self)

    def forget(self) -> None:
        """What was stored is stored for a forked child too."""
        self.lock = threading.Lock()


_known = Known()


def registered(client: Client, function: ManagedFunction[Any, Any]) -> int:
    """The version of this function on the client's server, which is made if need be."""
    known = _known.versions.get((_server(client), function.fn))
    return register(client, function) if known is None else known


def _server(client: Client) -> Server:
    """Where it is, which is found out once."""
    if client.located.known:
        return client.located.find()
    with saying("starting a server"):
        return client.located.find()


async def registered_later(client: Client, function: ManagedFunction[Any, Any]) -> int:
    """The same without holding up an event loop."""
    server = client.located.known
    known = _known.versions.get((server, function.fn)) if server else None
    return await asyncio.to_thread(register, client, function) if known is None else known


def register(client: Client, function: ManagedFunction[Any, Any]) -> int:
    """Stores it and all that it calls, as one change, and returns its version."""
    with _known.lock:
        sources = _closure(function)
        with saying(f"storing `{function.name}`: checking, resolving packages, running tests"):
            versions = _store(client, sources)
        server = client.located.find()
        for one, version in zip(sources, versions, strict=True):
            _known.versions[(server, one.fn)] = version
    prepare(client, function.name)
    return versions[0]


def _closure(function: ManagedFunction[Any, Any]) -> dict[ManagedFunction[Any, Any], str]:
    """The sources of this function and of the decorated ones that it calls, directly or not, also in circles."""
    sources: dict[ManagedFunction[Any, Any], str] = {}
    waiting = [function]
    while waiting:
        one = waiting.pop()
        if one not in sources:
            sources[one], called = one.read()
            waiting += called
    return sources


def _store(client: Client, sources: dict[ManagedFunction[Any, Any], str]) -> list[int]:
    named = {function.name: source for function, source in sources.items()}
    if len(named) == 1:
        [(name, source)] = named.items()
        moves = client.functions.put(name, source).moves
    else:
        moves = _change(client, named)
    moved = {move.name: move.after for move in moves}
    return [moved.get(function.name) or client.functions.get(function.name).version for function in sources]


def _change(client: Client, named: dict[str, str]) -> list[Moved]:
    changes = [{"function": {"name": name, "source": source}} for name, source in named.items()]
    try:
        changeset = client.changesets.propose(changes)
    except BadRequest:
        # Either all of it is live already, as at most starts of a program, or something cannot even be read. One by one
        # tells which.
        return [move for name, source in named.items() for move in client.functions.put(name, source).moves]
    if not changeset.passed:
        client.changesets.reject(changeset.number)
        raise _refused(changeset)
    return client.changesets.apply(changeset.number).moves


def _refused(changeset: Changeset) -> Refused:
    findings = [dict(finding.raw) for finding in changeset.findings if finding.severity == "error"]
    told = {
        "code": "checks_failed",
        "message": f"{changeset.title or 'the change'} does not pass its checks; nothing was changed",
        "details": {"findings": findings},
    }
    error = api_error(422, {"error": told}, None, None)
    assert isinstance(error, Refused)
    return error
