# Made from `_aio` by twins.py; change it there.
"""Sessions: browsers that have signed in."""

from __future__ import annotations

from selfmade._sync.resource import Resource
from selfmade._http import segment
from selfmade.models import Session


class Sessions(Resource):
    """The sessions of a server."""

    def list(self) -> _List[Session]:
        """All that have not ended."""
        return self._get_all(Session, "/sessions")

    def delete(self, name: str) -> None:
        """Ends one; its browser is let in no more."""
        self._do("DELETE", f"/sessions/{segment(name)}")


_List = list
