"""Measures BabyAGI 0.1.4 in its own process: a call, calls inside calls, a trigger chain.

Run in an empty folder, which becomes its store, with the number of seconds each may take. Prints one line `RESULT {json}`
with seconds of each repetition; everything else it prints is its own. Its 24 functions and `add` make 25.

Registering takes it most of a second each, so that is done without flushing; what is measured is done as it is shipped.
"""

import json
import os
import sys
import time

import sqlalchemy
from sqlalchemy.engine import Engine

budget = float(sys.argv[1])
flushes = False
INNER = 20


@sqlalchemy.event.listens_for(Engine, "connect")
def connected(connection, _) -> None:
    if not flushes:
        connection.execute("pragma synchronous = off")


def flush(really: bool) -> None:
    """From the next connection on, which is the next use."""
    global flushes
    flushes = really
    func.db.db.Session.remove()
    func.db.db.engine.dispose()


def quietly(work):
    """It reports every step on standard output, which would be measured too."""
    saved, sys.stdout = sys.stdout, open(os.devnull, "w")
    try:
        return work()
    finally:
        sys.stdout.close()
        sys.stdout = saved


def register(name: str, code: str, dependencies=(), triggers=()) -> None:
    func.registrar.add_function(
        name=name,
        code=code,
        metadata={"description": name, "input_parameters": [{"name": "value", "type": "int"}]},
        dependencies=list(dependencies),
        triggers=list(triggers),
    )


def repeat(name: str, *arguments, most: int = 300) -> list:
    func.executor.execute(name, *arguments)
    flush(True)
    try:
        return timed(name, *arguments, most=most)
    finally:
        flush(False)


def settings() -> str:
    flush(True)
    with func.db.db.engine.connect() as connection:
        read = lambda name: connection.execute(sqlalchemy.text(f"pragma {name}")).scalar()  # noqa: E731
        return f"journal_mode={read('journal_mode')}, synchronous={read('synchronous')} (2 is FULL)"


def timed(name: str, *arguments, most: int) -> list:
    func.executor.execute(name, *arguments)
    times, begun = [], time.perf_counter()
    while len(times) < most and time.perf_counter() - begun < budget:
        start = time.perf_counter()
        func.executor.execute(name, *arguments)
        times.append(time.perf_counter() - start)
    return times


def add() -> list:
    register("add", "def add(a, b):\n    return a + b\n")
    return repeat("add", 16, 2)


def chain() -> list:
    for n in reversed(range(10)):
        result = f"deep_{n + 1}(value + 1)" if n < 9 else "value"
        called = [f"deep_{n + 1}"] if n < 9 else []
        register(f"deep_{n}", f"def deep_{n}(value):\n    return {result}\n", called)
    return repeat("deep_0", 1, most=30)


def inner() -> list:
    register("leaf", "def leaf(value):\n    return value\n")
    loop = "def loop(value):\n    for n in range(value):\n        leaf(n)\n    return value\n"
    register("loop", loop, ["leaf"])
    median = lambda times: sorted(times)[len(times) // 2]  # noqa: E731
    return [(median(repeat("loop", INNER, most=10)) - median(repeat("loop", 0, most=10))) / INNER]


def triggers() -> list:
    for n in range(10):
        before = [f"link_{n - 1}"] if n else []
        register(f"link_{n}", f"def link_{n}(value):\n    return value + 1\n", triggers=before)
    logged = len(func.db.get_logs())
    func.executor.execute("link_0", 1)
    ran = {log["function_name"] for log in func.db.get_logs()[logged:]}
    if not {f"link_{n}" for n in range(10)} <= ran:
        raise RuntimeError(f"the chain did not run to its end: {sorted(ran)}")
    return repeat("link_0", 1, most=30)


def start():
    import babyagi

    return babyagi.get_func_instance()


func = quietly(start)
result = {}
works = {
    "add": add,
    "chain_of_10": chain,
    "inner_call": inner,
    "trigger_chain": triggers,
    "settings": settings,
}
for name, work in works.items():
    try:
        result[name] = quietly(work)
    except Exception as error:  # What one measurement cannot do must not take the others with it.
        print(f"babyagi, {name}: {type(error).__name__}: {error}", file=sys.stderr)
print("RESULT", json.dumps(result))
