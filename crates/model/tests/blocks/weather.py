"""Mocked methods, the secret of 2024, and an address in the code, which becomes a grant."""

import json
import urllib.parse
import urllib.request

from autogpt_server.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from autogpt_server.data.model import BlockSecret, SchemaField, SecretField


class TellWeatherBlock(Block):
    class Input(BlockSchema):
        place: str = SchemaField(description="Such as https://maps.example.org/oslo", placeholder="Oslo")
        api_key: BlockSecret = SecretField(key="weather_api_key", description="The key")

    class Output(BlockSchema):
        degrees: float
        key: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a06",
            description="Tells the weather.",
            categories={BlockCategory.SEARCH},
            input_schema=TellWeatherBlock.Input,
            output_schema=TellWeatherBlock.Output,
            test_input={"place": "Oslo", "api_key": "your_test_key"},
            test_output=[("degrees", 4.5), ("key", str)],
            test_mock={"ask": lambda *args, **kwargs: {"main": {"temp": 4.5}}},
        )

    @staticmethod
    def ask(place: str, key: str) -> dict:
        query = urllib.parse.urlencode({"q": place, "appid": key})
        with urllib.request.urlopen(f"https://api.weather.example/data?{query}") as answer:
            return json.load(answer)

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        key = input_data.api_key.get_secret_value()
        yield "degrees", self.ask(input_data.place, key)["main"]["temp"]
        yield "key", f"{input_data.api_key} of {len(key)} characters"
