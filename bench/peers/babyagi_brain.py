"""Measures BabyAGI 0.1.4: registering functions one by one, and resolving a closure of 100.

Run in an empty folder, which becomes its store. Prints one line `RESULT {json}`; everything else it prints is its own.
Functions are registered with a description, so that none asks a language model.
"""

import json
import os
import sys
import time

budget = float(sys.argv[1])


def source(n: int, calls: str | None = None) -> str:
    call = f"{calls}(items, limit)" if calls else "items"
    return (
        f"def made_up_{n}(items, limit=10, reverse=False):\n"
        f"    chosen = {call}\n    seen = set()\n    result = []\n"
        "    for item in chosen:\n        if item not in seen:\n            seen.add(item)\n"
        "            result.append(item.strip())\n    if reverse:\n        result.reverse()\n"
        "    return result[:limit]\n"
    )


def quietly(work):
    """It reports every step on standard output, which would be measured too."""
    saved, sys.stdout = sys.stdout, open(os.devnull, "w")
    try:
        return work()
    finally:
        sys.stdout.close()
        sys.stdout = saved


def register(func, most: int, chain: bool = False) -> dict:
    start, count = time.perf_counter(), 0
    while count < most and time.perf_counter() - start < budget:
        before = f"made_up_{count - 1}" if chain and count else None
        func.registrar.add_function(
            name=f"made_up_{count}",
            code=source(count, before),
            metadata={"description": f"Made-up function number {count}."},
            dependencies=[before] if before else [],
        )
        count += 1
    return {"count": count, "seconds": time.perf_counter() - start}


def bare() -> dict:
    """The engine alone: no default packs, so no event hook and few functions to scan."""
    from babyagi.functionz.core.framework import Functionz

    return register(Functionz(db_path="sqlite:///bare.db"), 1000)


def closure() -> float:
    from babyagi.functionz.core.framework import Functionz

    func = Functionz(db_path="sqlite:///closure.db")
    register(func, 100, chain=True)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function = func.db.get_function("made_up_99")
        func.executor._resolve_dependencies(function, {}, 0, [])
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def as_shipped() -> dict:
    import babyagi

    return register(babyagi.get_func_instance(), 1000)


result = {}
for name, work in (("as_shipped", as_shipped), ("bare", bare), ("closure_seconds", closure)):
    try:
        result[name] = quietly(work)
    except Exception as error:  # What one measurement cannot do must not take the others with it.
        print(f"babyagi, {name}: {type(error).__name__}: {error}", file=sys.stderr)
print("RESULT", json.dumps(result))
