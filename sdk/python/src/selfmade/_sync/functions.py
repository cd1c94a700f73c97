# Made from `_aio` by twins.py; change it there.
"""Functions: read, written and removed."""

from __future__ import annotations

from selfmade._sync.listing import Listing
from selfmade._sync.resource import Resource, forced, without_none
from selfmade._http import segment
from selfmade.models import Applied, Diff, Function, FunctionLine, Hit, Impact, VersionLine


class Functions(Resource):
    """The functions of a brain."""

    def list(self) -> Listing[FunctionLine]:
        """All of them, by name."""
        return Listing(self._transport, FunctionLine, "/functions")

    def get(self, name: str, *, version: int | None = None, revision: int | None = None) -> Function:
        """One of them: the live version, that version, or the one that was live at that revision.

        Raises:
            NotFound: there is none.
        """
        return self._get(Function, _path(name), {"version": version, "revision": revision})

    def put(
        self,
        name: str,
        source: str,
        *,
        title: str | None = None,
        expect: int | None = None,
        new: bool = False,
        force: bool = False,
    ) -> Applied:
        """Adds a function or a version of it, and makes it live if it passes its checks.

        With `expect` only if that version is live, with `new` only if there is none of that name, with `force` even if stored
        callers, triggers or schedules no longer fit.

        Raises:
            Refused: a check failed; `findings` says where and why.
            Stale: something else is live.
        """
        body = without_none({"source": source, "title": title})
        return self._change(Applied, "PUT", forced(_path(name), force), body, _guards(expect, new))

    def delete(self, name: str, *, expect: int | None = None) -> Applied:
        """Deletes it; its versions and runs stay."""
        return self._change(Applied, "DELETE", _path(name), headers=_guards(expect, False))

    def versions(self, name: str) -> _List[VersionLine]:
        """All its versions, oldest first."""
        return self._get_all(VersionLine, f"{_path(name)}/versions")

    def diff(self, name: str, old: int, new: int | None = None) -> Diff:
        """What differs between two versions; the new one is the live one if not named."""
        return self._get(Diff, f"{_path(name)}/diff", {"old": old, "new": new})

    def use(self, name: str, version: int, *, force: bool = False) -> Applied:
        """Makes that version live; with `force` even if stored callers, triggers or schedules no longer fit."""
        return self._change(Applied, "PUT", forced(f"{_path(name)}/live", force), {"version": version})

    def dependents(self, name: str) -> Impact:
        """What may break if it is changed."""
        return self._get(Impact, f"{_path(name)}/dependents")

    def search(self, words: str, *, limit: int | None = None) -> _List[Hit]:
        """Those that fit the words, the best first, and graphs that do."""
        return self._get_all(Hit, "/search", {"q": words, "limit": limit})


def _path(name: str) -> str:
    return f"/functions/{segment(name)}"


def _guards(expect: int | None, new: bool) -> dict[str, str]:
    if new:
        return {"If-None-Match": "*"}
    return {} if expect is None else {"If-Match": f'"{expect}"'}


_List = list
