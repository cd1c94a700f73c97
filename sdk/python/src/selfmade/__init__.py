"""selfmade in Python: write functions, run them on a server, and look after them.

    import selfmade

    @selfmade.function
    def greet(name: str) -> str:
        \"\"\"Greet someone by name.\"\"\"
        return f"Hello, {name}!"

    greet("Ada")                 # a run, on the server
    selfmade.run("greet", "Ada") # the same, by name

A file of such functions is a pack: the server reads it without running it. Importing one asks nothing of the network;
the first call of a function finds the server, or starts one on this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from selfmade._declared import (
    Budget,
    Concurrency,
    Declared,
    ErrorExpected,
    Expectation,
    ExpectedError,
    Mock,
    OutputExpected,
    PinsExpected,
    Retries,
    SchemaExpected,
    Test,
)
from selfmade._errors import (
    ApiError,
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    NoServer,
    NoSource,
    NotFound,
    Refused,
    RunBroken,
    RunCancelled,
    RunError,
    RunFailed,
    RunOutOfMemory,
    RunRaised,
    RunTimedOut,
    RunUnfinished,
    RunWaiting,
    SelfmadeError,
    Stale,
    TooMany,
    Unauthorized,
    Unavailable,
)
from selfmade._function import function
from selfmade._imports import imports
from selfmade._inside import (
    BudgetExhausted,
    OutsideRun,
    ask,
    ask_budget,
    brain,
    emit,
    files,
    log,
    model,
    now,
    random,
    secrets,
    sleep,
    storage,
    tools,
)
from selfmade._managed import ManagedFunction
from selfmade._plain import plain
from selfmade._values import NotCarried
from selfmade._version import __version__

if TYPE_CHECKING:
    from selfmade import aio
    from selfmade._connection import connect, server
    from selfmade.client import AsyncClient, AsyncRunHandle, Client, RunHandle

    run = server.run
    search = server.search
    health = server.health
    functions = server.functions
    runs = server.runs
    changesets = server.changesets
    triggers = server.triggers
    schedules = server.schedules
    packs = server.packs
    insights = server.insights
    events = server.events
    tokens = server.tokens
    sessions = server.sessions

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncRunHandle",
    "BadRequest",
    "Budget",
    "BudgetExhausted",
    "Client",
    "Concurrency",
    "Conflict",
    "ConnectionFailed",
    "Declared",
    "ErrorExpected",
    "Expectation",
    "ExpectedError",
    "Forbidden",
    "ManagedFunction",
    "Mock",
    "NoServer",
    "NoSource",
    "NotCarried",
    "NotFound",
    "OutputExpected",
    "OutsideRun",
    "PinsExpected",
    "Refused",
    "Retries",
    "RunBroken",
    "RunCancelled",
    "RunError",
    "RunFailed",
    "RunHandle",
    "RunOutOfMemory",
    "RunRaised",
    "RunTimedOut",
    "RunUnfinished",
    "RunWaiting",
    "SchemaExpected",
    "SelfmadeError",
    "Stale",
    "Test",
    "TooMany",
    "Unauthorized",
    "Unavailable",
    "__version__",
    "aio",
    "ask",
    "ask_budget",
    "brain",
    "changesets",
    "connect",
    "emit",
    "events",
    "files",
    "function",
    "functions",
    "health",
    "imports",
    "insights",
    "log",
    "model",
    "now",
    "packs",
    "plain",
    "random",
    "run",
    "runs",
    "schedules",
    "search",
    "secrets",
    "server",
    "sessions",
    "sleep",
    "storage",
    "tokens",
    "tools",
    "triggers",
]


if not TYPE_CHECKING:
    # What talks to servers is imported when it is first asked for, so that importing a pack stays quick. Type checkers
    # are not told of this, because to them it would mean that every name is there.
    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module `selfmade` has no attribute `{name}`")
        from importlib import import_module

        if name == "aio":
            return import_module("selfmade.aio")
        clients, connection = import_module("selfmade.client"), import_module("selfmade._connection")
        holder = next(one for one in (clients, connection, connection.server) if hasattr(one, name))
        globals()[name] = getattr(holder, name)
        return globals()[name]


def __dir__() -> list[str]:
    return [*__all__]
