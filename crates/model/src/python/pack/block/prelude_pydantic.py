import copy
import enum
import inspect
import typing

from pydantic import BaseModel, Field, SecretStr

KNOWN = {}
KEPT = {"ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern"}


def FieldInfo(default=..., *, default_factory=None, **stated):
    kept = {name: value for name, value in stated.items() if name in KEPT}
    return Field(default_factory=default_factory, **kept) if default_factory else Field(default, **kept)
