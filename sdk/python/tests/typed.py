"""What type checkers know of decorated functions and clients. Checked, never run: each `ignore` must be needed."""

from __future__ import annotations

from collections.abc import Iterator

import selfmade
from selfmade.models import Event, FunctionLine, Run


@selfmade.function
def add(a: int, b: int = 1) -> int:
    return a + b


@selfmade.function(timeout=5, network=["api.example.com"])
async def fetch(path: str) -> bytes:
    return path.encode()


@selfmade.function(retries={"attempts": 3})
def pins(n: int) -> Iterator[tuple[str, int]]:
    yield ("pin", n)


@selfmade.function(tiemout=5)  # type: ignore[call-overload, untyped-decorator]
def slip() -> None: ...


def blocking() -> None:
    total: int = add(1, b=2)
    here: int = add.local(1)
    for pin, value in pins(3):
        print(pin.upper(), value + total + here)
    add("one")  # type: ignore[arg-type]
    add(1, c=2)  # type: ignore[call-arg]
    wrong: str = add(1)  # type: ignore[assignment]
    print(wrong)
    run: Run = add.submit(1).wait(2.5)
    print(run.state, add.options(timeout=1)(1) + 1)


async def awaited() -> None:
    body: bytes = await fetch("x")
    same: bytes = await fetch.aio("x")
    total: int = await add.aio(1)
    lines: list[FunctionLine] = await selfmade.aio.functions.list().first(3)
    async for event in selfmade.aio.events.stream("run.*"):
        seen: Event = event
        print(body, same, total, lines, seen)


def clients() -> None:
    names: list[str] = [function.name for function in selfmade.functions.list()]
    selfmade.runs.list(state=1)  # type: ignore[arg-type]
    selfmade.fnuctions  # type: ignore[attr-defined]
    with selfmade.Client("http://localhost:7333", "token") as client:
        health: bool = client.health().ok
        print(names, health)
