"""A service for Restate that adds, and one that takes steps: run by Hypercorn as `restate_service:app`, without any sandbox."""

import restate

service = restate.Service("Adder")


@service.handler()
async def add(ctx: restate.Context, numbers: dict) -> int:
    return numbers["a"] + numbers["b"]


@service.handler()
async def deep(ctx: restate.Context, given: dict) -> int:
    if given["levels"] > 1:
        return await ctx.service_call(deep, {"value": given["value"] + 1, "levels": given["levels"] - 1})
    return given["value"]


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@service.handler()
async def steps(ctx: restate.Context, given: dict) -> int:
    value = 0
    for n in range(given["steps"]):
        value = await ctx.run_typed(f"step {n}", fib, n=10)
    return value


app = restate.app([service])
