"""An asynchronous `run` that awaits a method, for which a test has a plain function."""

import asyncio

from backend.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class FetchLaterBlock(Block):
    class Input(BlockSchema):
        names: list[str] = SchemaField(description="What to fetch")

    class Output(BlockSchema):
        page: str
        error: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a05",
            description="Fetches pages, one after the other.",
            categories={BlockCategory.SEARCH},
            input_schema=FetchLaterBlock.Input,
            output_schema=FetchLaterBlock.Output,
            test_input={"names": ["a", "b"]},
            test_output=[("page", "page a"), ("page", "page b")],
            test_mock={"fetch": lambda name: f"page {name}"},
        )

    async def fetch(self, name: str) -> str:
        await asyncio.sleep(0)
        raise ConnectionError("there is no network")

    async def run(self, input_data: Input, **kwargs) -> BlockOutput:
        for name in input_data.names:
            yield "page", await self.fetch(name)
