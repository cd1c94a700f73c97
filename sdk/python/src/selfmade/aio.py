"""The asynchronous twins: `await selfmade.aio.run("greet", "Ada")`."""

from selfmade._connection import async_server as server

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
    "changesets",
    "events",
    "functions",
    "health",
    "insights",
    "packs",
    "run",
    "runs",
    "schedules",
    "search",
    "server",
    "sessions",
    "tokens",
    "triggers",
]
