"""Measures DBOS 3.3.0 in its own process: a workflow that adds, called by one, by many threads, and through a queue.

Run with a database URL, the number of callers and the number of seconds each may take. Prints one line `RESULT {json}`. The
workflow has no steps, so all that is recorded is its start and its end.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy
from dbos import DBOS

url, callers, budget = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
DBOS(
    config={
        "name": "bench",
        "system_database_url": url,
        "run_admin_server": False,
        "log_level": "ERROR",
        "sys_db_pool_size": callers,
    }
)


@DBOS.workflow()
def add(a: int, b: int) -> int:
    return a + b


@DBOS.workflow()
def deep(value: int, levels: int) -> int:
    return deep(value + 1, levels - 1) if levels > 1 else value


def repeat(work, most: int) -> list:
    for _ in range(3):
        work()
    times, begun = [], time.perf_counter()
    while len(times) < most and time.perf_counter() - begun < budget:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def by_threads() -> float:
    begun = time.perf_counter()

    def caller(_) -> int:
        count = 0
        while time.perf_counter() - begun < budget:
            add(count, 1)
            count += 1
        return count

    with ThreadPoolExecutor(callers) as pool:
        done = sum(pool.map(caller, range(callers)))
    return done / (time.perf_counter() - begun)


def by_queue() -> float:
    """One wave after the other, each as large as there are callers."""
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < budget:
        for handle in [queue.enqueue(add, n, 1) for n in range(callers)]:
            handle.get_result(polling_interval_sec=0.02)
            done += 1
    return done / (time.perf_counter() - begun)


def settings() -> str:
    with sqlalchemy.create_engine(url.replace("postgres://", "postgresql://")).connect() as connection:
        read = lambda sql: connection.execute(sqlalchemy.text(sql)).scalar()  # noqa: E731
        if url.startswith("sqlite"):
            return f"journal_mode={read('pragma journal_mode')}, synchronous={read('pragma synchronous')} (2 is FULL)"
        return f"fsync={read('show fsync')}, synchronous_commit={read('show synchronous_commit')}"


DBOS.launch()
queue = DBOS.register_queue("many", polling_interval_sec=0.05)
result = {}
work = {
    "add": lambda: repeat(lambda: add(16, 2), 300),
    "chain_of_10": lambda: repeat(lambda: deep(1, 10), 30),
    "by_threads": by_threads,
    "by_queue": by_queue,
    "settings": settings,
}
for name, measure in work.items():
    try:
        result[name] = measure()
    except Exception as error:  # What one measurement cannot do must not take the others with it.
        print(f"dbos, {name}: {type(error).__name__}: {error}", file=sys.stderr)
DBOS.destroy()
print("RESULT", json.dumps(result))
