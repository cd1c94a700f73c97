"""Measures DBOS 3.3.0 in its own process: a workflow of 40 steps and one of many.

Run with a database URL, the number of steps of the long workflow and the number of seconds each measurement may take. Prints one line
`RESULT {json}`.
"""

import json
import sys
import time

from dbos import DBOS

url, many, budget = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
DBOS(config={"name": "bench", "system_database_url": url, "run_admin_server": False, "log_level": "ERROR"})


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@DBOS.step()
def compute(after: int) -> int:
    return fib(10)


@DBOS.workflow()
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


DBOS.launch()
result = {"chain": repeat(40, 25), "rate": many / min(repeat(many, 5))}
DBOS.destroy()
print("RESULT", json.dumps(result))
