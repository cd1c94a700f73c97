

class BlockSchema(BaseModel):
    model_config = {"arbitrary_types_allowed": True}


class Block:
    def __init__(self, **stated):
        vars(self).update(stated)
        self.name = type(self).__name__


class Names(type):
    def __getattr__(cls, name):
        return name.lower()


class BlockCategory(metaclass=Names):
    pass


class CredentialsMetaInput:
    def __class_getitem__(cls, _):
        return typing.Any


class Credentials:
    def __init__(self, provider, **values):
        self.provider, self.id, self.title = provider, provider, provider
        vars(self).update({name: SecretStr(value) for name, value in values.items()})

    def auth_header(self):
        token = self.api_key if hasattr(self, "api_key") else self.access_token
        return f"Bearer {token.get_secret_value()}"


class ContributorDetails:
    def __init__(self, **_):
        pass


def SecretField(value=None, key=None, **_):
    return FieldInfo(SecretStr(getattr(stored, key)))


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return type(value)(map(plain, value)) if type(value) in (list, tuple, set) else value


def stand_in(answer, method):
    async def later(*args, **kwargs):
        return answer(*args, **kwargs)

    return later if inspect.iscoroutinefunction(method) and not inspect.iscoroutinefunction(answer) else answer


def started(block, given, credentials, trial):
    if trial is not None:
        for name, answer in (getattr(block, "test_mock", None) or {}).items():
            setattr(block, name, stand_in(answer, getattr(block, name)))
    accepted = inspect.signature(block.run).parameters
    handed = {name: value for name, value in credentials.items() if name in accepted}
    for values in [given] if trial is None else trial:
        values = {name: value for name, value in values.items() if value is not ...}
        yield block.run(block.input_schema(**credentials, **values), **handed)


BlockSchemaInput = BlockSchemaOutput = BlockSchema
BlockType = ProviderName = BlockCategory
BlockOutput = typing.Any
SchemaField = CredentialsField = FieldInfo
BlockSecret = SecretStr
APIKeyCredentials = UserPasswordCredentials = OAuth2Credentials = Credentials
