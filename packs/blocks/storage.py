"""Blocks for values that outlive a run: `within_agent` those of the graph that calls them, `across_agents` those of
everybody.
"""

from collections.abc import Iterator
from typing import Any, Literal

import selfmade


@selfmade.function(
    storage="write",
    tests=[
        {
            "input": {"key": "seen", "value": 17},
            "mocks": [{"function": "storage.set", "output": None}],
            "expect": {"pins": [["value", 17]]},
        },
        {
            "name": "null is a value",
            "input": {"key": "seen", "value": None, "scope": "across_agents"},
            "mocks": [{"function": "storage.set", "output": None}],
            "expect": {"pins": [["value", None]]},
        },
    ],
)
def persist_information(
    key: str, value: Any, scope: Literal["within_agent", "across_agents"] = "within_agent"
) -> Iterator[tuple[str, Any]]:
    """Keep a value under a key for later runs, and pass it on.

    Args:
        key: The key.
        value: The value.
        scope: Who finds it: this graph, or every graph.
    """
    from selfmade import storage

    storage.set(key, value, scope={"within_agent": "graph", "across_agents": "brain"}[scope])
    yield "value", value


@selfmade.function(
    storage="read",
    tests=[
        {
            "input": {"key": "seen"},
            "mocks": [{"function": "storage.get", "output": 17}],
            "expect": {"pins": [["value", 17]]},
        },
        {
            "name": "falsy values are values",
            "input": {"key": "seen", "default_value": 5},
            "mocks": [{"function": "storage.get", "output": 0}],
            "expect": {"pins": [["value", 0]]},
        },
    ],
)
def retrieve_information(
    key: str, scope: Literal["within_agent", "across_agents"] = "within_agent", default_value: Any = None
) -> Iterator[tuple[str, Any]]:
    """Send the value that was kept under a key, or a default.

    Args:
        key: The key.
        scope: Whose value: that of this graph, or that of every graph.
        default_value: What is sent if nothing was kept.
    """
    from selfmade import storage

    yield "value", storage.get(key, default_value, scope={"within_agent": "graph", "across_agents": "brain"}[scope])
