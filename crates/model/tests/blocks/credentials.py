"""Credentials as they are today: named by provider and kind, handed to `run`."""

from typing import Literal

from backend.data.block import Block, BlockCategory, BlockOutput, BlockSchema
from backend.data.model import (
    APIKeyCredentials,
    CredentialsField,
    CredentialsMetaInput,
    SchemaField,
    UserPasswordCredentials,
)
from backend.integrations.providers import ProviderName

NotesCredentials = CredentialsMetaInput[Literal[ProviderName.NOTES], Literal["api_key"]]
TEST_CREDENTIALS = APIKeyCredentials(provider="notes", api_key="mock")


class AddNoteBlock(Block):
    class Input(BlockSchema):
        credentials: NotesCredentials = CredentialsField(description="The key of the notes")
        text: str = SchemaField(description="The note")

    class Output(BlockSchema):
        header: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a07",
            description="Adds a note.",
            categories={BlockCategory.OUTPUT},
            input_schema=AddNoteBlock.Input,
            output_schema=AddNoteBlock.Output,
            test_input={"credentials": TEST_CREDENTIALS, "text": "buy milk"},
            test_credentials=TEST_CREDENTIALS,
            test_output=[("header", "Bearer mocked: buy milk")],
            test_mock={"add": lambda credentials, text: "Bearer mocked: " + text},
        )

    def add(self, credentials: APIKeyCredentials, text: str) -> str:
        return f"{credentials.auth_header()}: {text}"

    def run(self, input_data: Input, *, credentials: APIKeyCredentials, **kwargs) -> BlockOutput:
        yield "header", self.add(credentials, input_data.text)


class LogInBlock(Block):
    class Input(BlockSchema):
        login: CredentialsMetaInput[Literal["mail"], Literal["user_password"]] = CredentialsField()

    class Output(BlockSchema):
        user: str

    def __init__(self):
        super().__init__(
            id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a08",
            description="Says who would log in.",
            input_schema=LogInBlock.Input,
            output_schema=LogInBlock.Output,
            test_input={"login": {}},
            test_output=[("user", str)],
        )

    def run(self, input_data: Input, *, login: UserPasswordCredentials = None) -> BlockOutput:
        yield "user", login.username.get_secret_value()
