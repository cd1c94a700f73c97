"""Measures Prefect 3.8.8: a flow of 40 tasks and one of many, with a server that it starts itself and its SQLite.

Run with the number of tasks of the long flow and the number of seconds each measurement may take. Prints one line `RESULT {json}`.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ.update(
    PREFECT_HOME=str(Path("prefect").absolute()),
    PREFECT_SERVER_ANALYTICS_ENABLED="false",
    PREFECT_LOGGING_LEVEL="CRITICAL",
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="120",
    DO_NOT_TRACK="1",
)
from prefect import flow, task  # noqa: E402, its settings are read when it is imported

many, budget = int(sys.argv[1]), float(sys.argv[2])


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@task
def compute(after: int) -> int:
    return fib(10)


@flow
def chain(length: int) -> int:
    value = 0
    for _ in range(length):
        value = compute(value)
    return value


def repeat(length: int, most: int) -> list:
    chain(length)
    times, begun = [], time.perf_counter()
    while len(times) < most and (not times or time.perf_counter() - begun < budget):
        start = time.perf_counter()
        chain(length)
        times.append(time.perf_counter() - start)
    return times


result = {"chain": repeat(40, 25), "rate": many / min(repeat(many, 3))}
print("RESULT", json.dumps(result), flush=True)
