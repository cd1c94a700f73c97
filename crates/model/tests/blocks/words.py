"""Constants, helpers and a text of several lines stand beside the class; several inputs, one after the other."""

import logging
import re

from autogpt_server.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from autogpt_server.data.model import SchemaField

logger = logging.getLogger(__name__)
SMALL = {"a", "the"}
WORD = re.compile(r"\w+")
LONGEST = 5
BANNER = """
  counted
by words
"""


def tidy(word: str) -> str:
    return word.lower()


class CountWordsBlock(Block):
    class Input(BlockSchema):
        text: str
        least: int = 1
        most: int = SchemaField(default=LONGEST, description="Longer words are left out")

    class Output(BlockSchema):
        word: str
        count: int
        banner: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a02",
            description='Counts "words", and \\ says so.',
            categories={BlockCategory.TEXT, BlockCategory.BASIC},
            input_schema=CountWordsBlock.Input,
            output_schema=CountWordsBlock.Output,
            test_input=[{"text": "The sky"}, {"text": "", "least": 0}, {"text": "sky skyscraper", "most": LONGEST}],
            test_output=[
                ("word", "sky"),
                ("count", 1),
                ("banner", BANNER),
                ("count", 0),
                ("banner", BANNER),
                ("word", "sky"),
                ("count", 1),
                ("banner", BANNER),
            ],
        )

    def run(self, input_data: Input) -> BlockOutput:
        count = 0
        for word in map(tidy, WORD.findall(input_data.text)):
            if word not in SMALL and input_data.least <= len(word) <= input_data.most:
                count += 1
                yield "word", word
        logger.debug("counted")
        yield "count", count
        yield "banner", BANNER
