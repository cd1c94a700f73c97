"""Models in models: what comes in as objects is handed to `run` as instances, and what leaves is an object again."""

from typing import List

from pydantic import BaseModel, Field

from backend.data.block import Block, BlockOutput, BlockSchema
from backend.data.model import SchemaField


class Item(BaseModel):
    name: str
    price: float
    tags: List[str] = Field(default_factory=list)


class Order(BaseModel):
    items: List[Item]
    discount: float = 0


class TotalOrderBlock(Block):
    class Input(BlockSchema):
        order: Order = SchemaField(description="The order")
        extra: list[Item] = SchemaField(default=[], description="More items")

    class Output(BlockSchema):
        total: float
        dearest: Item
        names: list[str]

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a04",
            description="Adds up an order.",
            input_schema=TotalOrderBlock.Input,
            output_schema=TotalOrderBlock.Output,
            test_input={
                "order": Order(items=[Item(name="pen", price=2), {"name": "ink", "price": 5.5}], discount=0.5),
                "extra": [{"name": "paper", "price": 1, "tags": ["a4"]}],
            },
            test_output=[
                ("total", 8.0),
                ("dearest", {"name": "ink", "price": 5.5, "tags": []}),
                ("names", ["pen", "ink", "paper"]),
            ],
        )

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        items = input_data.order.items + input_data.extra
        yield "total", sum(item.price for item in items) - input_data.order.discount
        yield "dearest", max(items, key=lambda item: item.price)
        yield "names", [item.name for item in items]
