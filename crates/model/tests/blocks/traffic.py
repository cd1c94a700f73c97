"""Enums in and out, literals, and a member of an enum as a default and in the tests."""

from enum import Enum
from typing import Literal, Optional

from backend.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class Light(Enum):
    RED = "red"
    GREEN = "green"


class TrafficLightBlock(Block):
    class Input(BlockSchema):
        light: Light = SchemaField(default=Light.RED, description="Which light is on")
        mode: Literal["day", "night"] = "day"
        note: Optional[str] = None

    class Output(BlockSchema):
        next_light: Light
        may_go: bool
        note: Optional[str]

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a03",
            categories={BlockCategory.LOGIC},
            input_schema=TrafficLightBlock.Input,
            output_schema=TrafficLightBlock.Output,
            test_input=[{}, {"light": Light.GREEN.value, "mode": "night", "note": "dark"}],
            test_output=[
                ("next_light", Light.GREEN.value),
                ("may_go", False),
                ("next_light", "red"),
                ("may_go", True),
                ("note", "dark"),
            ],
        )

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        yield "next_light", Light.GREEN if input_data.light is Light.RED else Light.RED
        yield "may_go", input_data.light == Light.GREEN
        if input_data.note is not None:
            yield "note", input_data.note
