"""Tokens: what opens the server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from selfmade._aio.resource import AsyncResource, without_none
from selfmade._http import segment
from selfmade.models import Token
from selfmade.models.server import Role


class AsyncTokens(AsyncResource):
    """The tokens of a server."""

    async def list(self) -> _List[Token]:
        """All of them, without their texts."""
        return await self._get_all(Token, "/tokens")

    async def add(
        self, name: str, role: Role, *, patterns: Sequence[str] = (), expires_at: datetime | None = None
    ) -> Token:
        """Makes one. Its `text` is told this once."""
        expires = expires_at.astimezone().isoformat() if expires_at else None
        body = {"name": name, "role": role, "patterns": [*patterns], "expires_at": expires}
        return await self._change(Token, "POST", "/tokens", without_none(body))

    async def delete(self, name: str) -> None:
        """Removes it; whoever has it is let in no more."""
        await self._do("DELETE", f"/tokens/{segment(name)}")


_List = list
