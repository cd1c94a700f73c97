"""Starts runs of decorated functions on the server that is used now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfmade import _registering
from selfmade._connection import async_server, server
from selfmade._echo import echo, echo_later
from selfmade._managed import ManagedFunction, Options
from selfmade.client import AsyncRunHandle, RunHandle

Managed = ManagedFunction[Any, Any]


def register(function: Managed) -> int:
    """Stores it, with the decorated functions that it calls; its version."""
    return _registering.register(server, function)


def result(function: Managed, options: Options, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What a run of it returns."""
    run = server.runs.start(
        function.name,
        kwargs,
        args,
        version=_registering.registered(server, function),
        timeout=options.timeout,
        retries=options.retries,
        idempotency_key=options.idempotency_key,
    )
    echo(server, run)
    return run.result()


async def result_later(function: Managed, options: Options, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The same, to be awaited."""
    run = await async_server.runs.start(
        function.name,
        kwargs,
        args,
        version=await _registering.registered_later(server, function),
        timeout=options.timeout,
        retries=options.retries,
        idempotency_key=options.idempotency_key,
    )
    await echo_later(async_server, run)
    return run.result()


def submit(function: Managed, options: Options, args: Sequence[Any], kwargs: Mapping[str, Any]) -> RunHandle:
    """A queued run of it."""
    return server.runs.submit(
        function.name,
        kwargs,
        args,
        version=_registering.registered(server, function),
        timeout=options.timeout,
        retries=options.retries,
        idempotency_key=options.idempotency_key,
    )


async def submit_later(
    function: Managed, options: Options, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> AsyncRunHandle:
    """The same, to be awaited."""
    return await async_server.runs.submit(
        function.name,
        kwargs,
        args,
        version=await _registering.registered_later(server, function),
        timeout=options.timeout,
        retries=options.retries,
        idempotency_key=options.idempotency_key,
    )
