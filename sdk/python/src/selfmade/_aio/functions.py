"""Functions: read, written and removed."""

from __future__ import annotations

from selfmade._aio.listing import AsyncListing
from selfmade._aio.resource import AsyncResource, forced, without_none
from selfmade._http import segment
from selfmade.models import Applied, Diff, Function, FunctionLine, Hit, Impact, VersionLine


class AsyncFunctions(AsyncResource):
    """The functions of a brain."""

    def list(self) -> AsyncListing[FunctionLine]:
        """All of them, by name."""
        return AsyncListing(self._transport, FunctionLine, "/functions")

    async def get(self, name: str, *, version: int | None = None, revision: int | None = None) -> Function:
        """One of them: the live version, that version, or the one that was live at that revision.

        Raises:
            NotFound: there is none.
        """
        return await self._get(Function, _path(name), {"version": version, "revision": revision})

    async def put(
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
        return await self._change(Applied, "PUT", forced(_path(name), force), body, _guards(expect, new))

    async def delete(self, name: str, *, expect: int | None = None) -> Applied:
        """Deletes it; its versions and runs stay."""
        return await self._change(Applied, "DELETE", _path(name), headers=_guards(expect, False))

    async def versions(self, name: str) -> _List[VersionLine]:
        """All its versions, oldest first."""
        return await self._get_all(VersionLine, f"{_path(name)}/versions")

    async def diff(self, name: str, old: int, new: int | None = None) -> Diff:
        """What differs between two versions; the new one is the live one if not named."""
        return await self._get(Diff, f"{_path(name)}/diff", {"old": old, "new": new})

    async def use(self, name: str, version: int, *, force: bool = False) -> Applied:
        """Makes that version live; with `force` even if stored callers, triggers or schedules no longer fit."""
        return await self._change(Applied, "PUT", forced(f"{_path(name)}/live", force), {"version": version})

    async def dependents(self, name: str) -> Impact:
        """What may break if it is changed."""
        return await self._get(Impact, f"{_path(name)}/dependents")

    async def search(self, words: str, *, limit: int | None = None) -> _List[Hit]:
        """Those that fit the words, the best first, and graphs that do."""
        return await self._get_all(Hit, "/search", {"q": words, "limit": limit})


def _path(name: str) -> str:
    return f"/functions/{segment(name)}"


def _guards(expect: int | None, new: bool) -> dict[str, str]:
    if new:
        return {"If-None-Match": "*"}
    return {} if expect is None else {"If-Match": f'"{expect}"'}


_List = list
