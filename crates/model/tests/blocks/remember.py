"""A static output, values that are falsy, and names of builtins as fields."""

from typing import Any

from backend.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class RememberBlock(Block):
    class Input(BlockSchema):
        list: list = SchemaField(description="Some values")
        input: Any = SchemaField(default=None, description="One more")
        type: str = SchemaField(default="", advanced=True)

    class Output(BlockSchema):
        last: Any
        list: list

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a09",
            description="Keeps the last value.",
            categories={BlockCategory.BASIC},
            input_schema=RememberBlock.Input,
            output_schema=RememberBlock.Output,
            static_output=True,
            test_input=[{"list": [1], "input": 0}, {"list": [False]}, {"list": [], "input": ""}],
            test_output=[
                ("last", 0),
                ("list", [1, 0]),
                ("last", None),
                ("list", [False, None]),
                ("last", ""),
                ("list", [""]),
            ],
        )

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        kept = list(input_data.list) + [input_data.input]
        yield "last", kept[-1]
        yield "list", kept
