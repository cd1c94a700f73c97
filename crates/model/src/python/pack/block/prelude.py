import copy
import enum
import inspect
import types
import typing

REQUIRED = object()
KNOWN = {}


class FieldInfo:
    def __init__(self, default=REQUIRED, *, default_factory=None, **_):
        self.default = REQUIRED if default is ... else default
        self.default_factory = default_factory


class BaseModel:
    def __init__(self, **given):
        for name, kind in typing.get_type_hints(type(self), localns=KNOWN).items():
            stated = getattr(type(self), name, REQUIRED)
            if name in given:
                value = made(kind, given[name])
            elif isinstance(stated, FieldInfo) and stated.default_factory is not None:
                value = stated.default_factory()
            else:
                value = stated.default if isinstance(stated, FieldInfo) else stated
            if value is REQUIRED:
                raise TypeError(f"`{name}` of `{type(self).__name__}` is required")
            setattr(self, name, copy.deepcopy(value))

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def model_dump(self, **_):
        return {name: plain(value) for name, value in vars(self).items()}

    dict = model_dump


class SecretStr:
    def __init__(self, value):
        self._value = value

    def get_secret_value(self):
        return self._value

    def __str__(self):
        return "<secret>"


def made(kind, value):
    arms = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        for arm in arms:
            try:
                found = made(arm, value)
            except (TypeError, ValueError):
                continue
            if found is not value:
                return found
        return value
    if isinstance(value, list) and typing.get_origin(kind) is list and arms:
        return [made(arms[0], item) for item in value]
    if isinstance(value, dict) and typing.get_origin(kind) is dict and arms:
        return {key: made(arms[1], item) for key, item in value.items()}
    if kind is SecretStr and isinstance(value, str):
        return SecretStr(value)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        return kind(**value)
    return value
