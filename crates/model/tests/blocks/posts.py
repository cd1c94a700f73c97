"""Nested secrets that a model takes itself, a method with nested functions, and types in place of values."""

from datetime import datetime, timezone
from typing import Iterator

from pydantic import BaseModel

from autogpt_server.data.block import Block, BlockOutput, BlockSchema
from autogpt_server.data.model import BlockSecret, SchemaField, SecretField


class ForumLogin(BaseModel):
    user: BlockSecret = SecretField(key="forum_user")
    password: BlockSecret = SecretField(key="forum_password")


class Post(BaseModel):
    title: str
    at: str


class ReadPostsBlock(Block):
    class Input(BlockSchema):
        forum: str
        login: ForumLogin = SchemaField(default=ForumLogin(), description="Who reads")
        limit: int | None = SchemaField(default=10)

    class Output(BlockSchema):
        post: Post
        count: int
        reader: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a13",
            description="Reads the posts of a forum.",
            input_schema=ReadPostsBlock.Input,
            output_schema=ReadPostsBlock.Output,
            test_input={"forum": "rain", "limit": 1},
            test_output=[("post", dict), ("count", 1), ("reader", str)],
            test_mock={"titles": lambda forum: iter([f"{forum} {number}" for number in range(3)])},
        )

    def titles(self, forum: str) -> Iterator[str]:
        raise ConnectionError("there is no network")

    def run(self, input_data: Input, **kwargs) -> BlockOutput:
        def stamped(title: str) -> Post:
            return Post(title=title, at=datetime.now(timezone.utc).isoformat())

        posts = [stamped(title) for title in self.titles(input_data.forum)][: input_data.limit]
        for post in posts:
            yield "post", post
        yield "count", len(posts)
        yield "reader", input_data.login.user.get_secret_value()
