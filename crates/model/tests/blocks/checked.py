"""Constraints that only pydantic checks: the package becomes a requirement."""

from pydantic import BaseModel, Field, field_validator

from backend.data.block import Block, BlockOutput, BlockSchema


class Score(BaseModel):
    points: int = Field(ge=0, le=10)

    @field_validator("points")
    @classmethod
    def no_thirteen(cls, points: int) -> int:
        return points


class RateBlock(Block):
    class Input(BlockSchema):
        score: Score

    class Output(BlockSchema):
        stars: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a14",
            description="Writes stars.",
            input_schema=RateBlock.Input,
            output_schema=RateBlock.Output,
            test_input={"score": {"points": 3}},
            test_output=("stars", "***"),
        )

    def run(self, input_data: Input) -> BlockOutput:
        yield "stars", "*" * input_data.score.points
