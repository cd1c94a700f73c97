# Made from `_aio` by twins.py; change it there.
"""Secrets: values that functions are handed by name."""

from __future__ import annotations

from selfmade._sync.resource import Resource
from selfmade._http import segment
from selfmade.models import Secret


class Secrets(Resource):
    """The secrets of a brain. Nobody gets a value back but functions that are granted it."""

    def list(self) -> _List[Secret]:
        """All of them, without their values."""
        return self._get_all(Secret, "/secrets")

    def set(self, name: str, value: str) -> None:
        """Adds a secret or gives it a new value."""
        self._do("PUT", f"/secrets/{segment(name)}", {"value": value})

    def delete(self, name: str) -> None:
        """Removes it."""
        self._do("DELETE", f"/secrets/{segment(name)}")


_List = list
