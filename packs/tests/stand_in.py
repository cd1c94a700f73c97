"""Stands in for the module `selfmade` as functions see it in a trial.

Verbs answer from mocks, secrets tell their names.
"""

import base64
import time
import types


class Refused(PermissionError):
    pass


class Failed(RuntimeError):
    pass


class Host(types.ModuleType):
    def __init__(self, mocks, secrets):
        super().__init__("selfmade")
        self.Refused, self.Failed = Refused, Failed
        self.secrets = types.SimpleNamespace(**{name: f"secret-{name}" for name in secrets})
        self.mocks = {"now": time.time, "sleep": None, "log": None, "emit": None, **mocks}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Verb(self.mocks, name)


class Verb:
    def __init__(self, mocks, name):
        self._mocks, self._name = mocks, name

    def __getattr__(self, name):
        return Verb(self._mocks, f"{self._name}.{name}")

    def __call__(self, *_, **__):
        if self._name not in self._mocks:
            raise Refused(f"a trial does not execute `{self._name}`")
        answer = self._mocks[self._name]
        return answer() if callable(answer) else answer


def from_json(value):
    """What a function gets for a value of a test."""
    if isinstance(value, dict):
        if set(value) == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        return {name: from_json(part) for name, part in value.items()}
    return [from_json(part) for part in value] if isinstance(value, list) else value


def to_json(value):
    """What the server would record."""
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {name: to_json(part) for name, part in value.items()}
    return [to_json(part) for part in value] if isinstance(value, (list, tuple)) else value
