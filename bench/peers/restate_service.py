"""A service for Restate that adds: run by Hypercorn as `restate_service:app`, without any sandbox."""

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


app = restate.app([service])
