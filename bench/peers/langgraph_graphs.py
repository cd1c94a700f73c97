"""Measures LangGraph 1.2.22 with its SQLite checkpointer, in its own process: a chain of 40 nodes and a wide graph of many.

Run with the number of nodes of the wide graph and the number of seconds each measurement may take. Prints one line `RESULT {json}`.
Every step is checkpointed before the next one begins (`durability="sync"`); what the default takes is told beside.
"""

import json
import operator
import sqlite3
import sys
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

many, budget = int(sys.argv[1]), float(sys.argv[2])
connection = sqlite3.connect("langgraph.db", check_same_thread=False)
saver = SqliteSaver(connection)
threads = iter(range(1 << 60))


class State(TypedDict):
    value: int


class Wide(TypedDict):
    items: list[int]
    values: Annotated[list[int], operator.add]


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def compute(state: State) -> State:
    return {"value": fib(10)}


def chain(length: int):
    graph = StateGraph(State)
    for n in range(length):
        graph.add_node(f"n{n}", compute)
        graph.add_edge(START if n == 0 else f"n{n - 1}", f"n{n}")
    graph.add_edge(f"n{length - 1}", END)
    return graph.compile(checkpointer=saver)


def wide():
    graph = StateGraph(Wide)
    graph.add_node("one", lambda item: {"values": [fib(10)]})
    graph.add_conditional_edges(START, lambda state: [Send("one", {"item": item}) for item in state["items"]], ["one"])
    graph.add_edge("one", END)
    return graph.compile(checkpointer=saver)


def run(graph, given: dict, durability: str) -> float:
    config = {"configurable": {"thread_id": str(next(threads))}, "recursion_limit": 100}
    start = time.perf_counter()
    graph.invoke(given, config, durability=durability)
    return time.perf_counter() - start


def repeat(graph, given: dict, durability: str, most: int) -> list:
    run(graph, given, durability)
    times, begun = [], time.perf_counter()
    while len(times) < most and (not times or time.perf_counter() - begun < budget):
        times.append(run(graph, given, durability))
    return times


forty, items = chain(40), {"items": list(range(many)), "values": []}
result = {
    "chain": repeat(forty, {"value": 0}, "sync", 25),
    "chain_as_shipped": repeat(forty, {"value": 0}, "async", 25),
    "rate": many / min(repeat(wide(), items, "sync", 5)),
}
settings = [connection.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
result["settings"] = f"journal_mode={settings[0]}, synchronous={settings[1]} (2 is FULL)"
print("RESULT", json.dumps(result))
