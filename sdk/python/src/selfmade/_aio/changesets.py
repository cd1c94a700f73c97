"""Changesets: proposed, looked at, decided about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selfmade._aio.listing import AsyncListing
from selfmade._aio.resource import AsyncResource, forced, without_none
from selfmade.models import Applied, Changeset, ChangesetLine


class AsyncChangesets(AsyncResource):
    """The changesets of a brain."""

    def list(self, *, state: str | None = None) -> AsyncListing[ChangesetLine]:
        """Those in that state, or all, newest first."""
        return AsyncListing(self._transport, ChangesetLine, "/changesets", {"state": state})

    async def get(self, number: int) -> Changeset:
        """One of them, with what it changes."""
        return await self._get(Changeset, f"/changesets/{number}")

    async def propose(self, changes: Sequence[dict[str, Any]], *, title: str | None = None) -> Changeset:
        """Drafts and checks changes that are made together or not at all, and leaves it to somebody to apply them.

        A change is `{"function": {"source": …, "name": …}}`, `{"use": {"name": …, "version": …}}` or
        `{"delete": {"name": …}}`.
        """
        body = without_none({"title": title, "changes": [*changes]})
        return await self._change(Changeset, "POST", "/changesets", body)

    async def apply(self, number: int, *, force: bool = False) -> Applied:
        """Applies one that passed its checks; with `force` even if stored callers, triggers or schedules no longer fit."""
        return await self._change(Applied, "POST", forced(f"/changesets/{number}/apply", force))

    async def reject(self, number: int) -> Changeset:
        """Rejects it."""
        return await self._change(Changeset, "POST", f"/changesets/{number}/reject")

    async def rebase(self, number: int) -> Changeset:
        """Rebases it onto the current brain, and checks it again."""
        return await self._change(Changeset, "POST", f"/changesets/{number}/rebase")

    async def revert(self, number: int, *, force: bool = False) -> Applied:
        """Undoes one that was applied, by another one; with `force` even if stored callers, triggers or schedules no longer fit."""
        return await self._change(Applied, "POST", forced(f"/changesets/{number}/revert", force))
