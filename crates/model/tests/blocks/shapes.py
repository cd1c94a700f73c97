"""Two blocks that share a base and a schema, postponed annotations, and one that is disabled."""

from __future__ import annotations

import math
from abc import abstractmethod

from backend.data.block import Block, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class SizeInput(BlockSchema):
    size: float = SchemaField(description="In metres")
    unit: str = SchemaField(default="m²", description="What the result is given in")


class AreaBlockBase(Block):
    class Output(BlockSchema):
        area: float
        text: str

    @abstractmethod
    def area(self, size: float) -> float:
        pass

    def run(self, input_data: SizeInput, **kwargs) -> BlockOutput:
        area = round(self.area(input_data.size), 2)
        yield "area", area
        yield "text", f"{area} {input_data.unit}"


class CircleAreaBlock(AreaBlockBase):
    class Input(SizeInput):
        unit: str = SchemaField(default="m²")
        pi: float = 3.0

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a10",
            description="The area of a circle.",
            input_schema=CircleAreaBlock.Input,
            output_schema=AreaBlockBase.Output,
            test_input={"size": 1},
            test_output=[("area", 3.14), ("text", "3.14 m²")],
        )

    def area(self, size: float) -> float:
        return math.pi * size**2


class SquareAreaBlock(AreaBlockBase):
    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a11",
            description="The area of a square.",
            input_schema=SizeInput,
            output_schema=AreaBlockBase.Output,
            test_input={"size": 2, "unit": "cm²"},
            test_output=[("area", 4), ("text", "4 cm²")],
        )

    def area(self, size: float) -> float:
        return size**2


class HexagonAreaBlock(AreaBlockBase):
    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a12",
            input_schema=SizeInput,
            output_schema=AreaBlockBase.Output,
            disabled=True,
        )
