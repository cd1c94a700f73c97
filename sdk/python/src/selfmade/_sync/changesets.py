# Made from `_aio` by twins.py; change it there.
"""Changesets: proposed, looked at, decided about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selfmade._sync.listing import Listing
from selfmade._sync.resource import Resource, forced, without_none
from selfmade.models import Applied, Changeset, ChangesetLine


class Changesets(Resource):
    """The changesets of a brain."""

    def list(self, *, state: str | None = None) -> Listing[ChangesetLine]:
        """Those in that state, or all, newest first."""
        return Listing(self._transport, ChangesetLine, "/changesets", {"state": state})

    def get(self, number: int) -> Changeset:
        """One of them, with what it changes."""
        return self._get(Changeset, f"/changesets/{number}")

    def propose(self, changes: Sequence[dict[str, Any]], *, title: str | None = None) -> Changeset:
        """Drafts and checks changes that are made together or not at all, and leaves it to somebody to apply them.

        A change is `{"function": {"source": …, "name": …}}`, `{"use": {"name": …, "version": …}}` or
        `{"delete": {"name": …}}`.
        """
        body = without_none({"title": title, "changes": [*changes]})
        return self._change(Changeset, "POST", "/changesets", body)

    def apply(self, number: int, *, force: bool = False) -> Applied:
        """Applies one that passed its checks; with `force` even if stored callers, triggers or schedules no longer fit."""
        return self._change(Applied, "POST", forced(f"/changesets/{number}/apply", force))

    def reject(self, number: int) -> Changeset:
        """Rejects it."""
        return self._change(Changeset, "POST", f"/changesets/{number}/reject")

    def rebase(self, number: int) -> Changeset:
        """Rebases it onto the current brain, and checks it again."""
        return self._change(Changeset, "POST", f"/changesets/{number}/rebase")

    def revert(self, number: int, *, force: bool = False) -> Applied:
        """Undoes one that was applied, by another one; with `force` even if stored callers, triggers or schedules no longer fit."""
        return self._change(Applied, "POST", forced(f"/changesets/{number}/revert", force))
