"""Sessions: browsers that have signed in."""

from __future__ import annotations

from selfmade._aio.resource import AsyncResource
from selfmade._http import segment
from selfmade.models import Session


class AsyncSessions(AsyncResource):
    """The sessions of a server."""

    async def list(self) -> _List[Session]:
        """All that have not ended."""
        return await self._get_all(Session, "/sessions")

    async def delete(self, name: str) -> None:
        """Ends one; its browser is let in no more."""
        await self._do("DELETE", f"/sessions/{segment(name)}")


_List = list
