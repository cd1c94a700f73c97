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
        self,
        name: str,
        role: Role,
        *,
        patterns: Sequence[str] = (),
        uses: Sequence[str] = (),
        grants: Sequence[str] | None = None,
        expires_at: datetime | None = None,
    ) -> Token:
        """Makes one. Its `text` is told this once.

        Args:
            patterns: the names it may touch, such as `web.*`; all if none is given.
            uses: what functions it writes may call besides.
            grants: what they may be granted: `secret:NAME`, `host:HOST`, `model`, `brain:read`, `brain:propose`, `files`,
                `storage:read`, `storage:write` or `all`. Unless
                given, everything for a token without patterns, and nothing for one with patterns.
        """
        expires = expires_at.astimezone().isoformat() if expires_at else None
        given = None if grants is None else [*grants]
        body = {"name": name, "role": role, "patterns": [*patterns], "uses": [*uses], "grants": given, "expires_at": expires}
        return await self._change(Token, "POST", "/tokens", without_none(body))

    async def delete(self, name: str) -> None:
        """Removes it; whoever has it is let in no more."""
        await self._do("DELETE", f"/tokens/{segment(name)}")


_List = list
