"""The smallest block."""

from backend.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class ReverseTextBlock(Block):
    class Input(BlockSchema):
        text: str = SchemaField(description="What to write backwards")

    class Output(BlockSchema):
        reversed_text: str = SchemaField(description="The text, backwards")

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a01",
            description="Writes a text backwards.",
            categories={BlockCategory.TEXT},
            input_schema=ReverseTextBlock.Input,
            output_schema=ReverseTextBlock.Output,
            test_input={"text": "abc"},
            test_output=("reversed_text", "cba"),
        )

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        yield "reversed_text", input_data.text[::-1]
