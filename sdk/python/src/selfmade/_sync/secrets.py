# Made from `_aio` by twins.py; change it there.
"""Secrets: values that functions are handed by name."""

from __future__ import annotations

from collections.abc import Iterable

from selfmade._sync.resource import Resource
from selfmade._http import segment
from selfmade.models import Secret


class Secrets(Resource):
    """The secrets of a brain. Nobody gets a value back but functions that are granted it."""

    def list(self) -> _List[Secret]:
        """All of them, without their values."""
        return self._get_all(Secret, "/secrets")

    def set(self, name: str, value: str, *, hosts: Iterable[str] | None = None) -> None:
        """Adds a secret or gives it a new value.

        With `hosts` it is sealed for them: functions get a placeholder, and the value is put in on the way to one of
        them. An empty list hands functions the value; without it the secret stays as it was.
        """
        body: dict[str, object] = {"value": value}
        if hosts is not None:
            body["hosts"] = [*hosts]
        self._do("PUT", f"/secrets/{segment(name)}", body)

    def delete(self, name: str) -> None:
        """Removes it."""
        self._do("DELETE", f"/secrets/{segment(name)}")


_List = list
