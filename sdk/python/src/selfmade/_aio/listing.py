"""Lists that come a page at a time, read as far as somebody looks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Generic, TypeVar

from selfmade._async_transport import AsyncTransport
from selfmade._http import Request
from selfmade._preview import AsyncPreview
from selfmade._shape import load

T = TypeVar("T")

# Few requests for long lists, quick ones for a look at the first.
_PAGE = 200


class AsyncListing(AsyncPreview, Generic[T]):
    """Everything that fits, in the server's order. Iterating asks for page after page; each time anew."""

    def __init__(
        self, transport: AsyncTransport, kind: type[T], path: str, query: Mapping[str, Any] | None = None
    ) -> None:
        self._transport = transport
        self._kind = kind
        self._path = path
        self._query = dict(query or {})

    async def __aiter__(self) -> AsyncGenerator[T, None]:
        cursor: str | None = None
        while True:
            items, cursor = await self.page(cursor)
            for item in items:
                yield item
            if cursor is None:
                return

    async def page(self, cursor: str | None = None, limit: int = _PAGE) -> tuple[list[T], str | None]:
        """One page, and the cursor of the next one, if there is one."""
        query = {**self._query, "cursor": cursor, "limit": limit}
        answer = (await self._transport.send(Request("GET", self._path, query, repeatable=True))).json()
        return [load(self._kind, item) for item in answer["items"]], answer.get("next")

    async def first(self, count: int = 1) -> list[T]:
        """Those at the front."""
        found: list[T] = []
        cursor: str | None = None
        while len(found) < count:
            items, cursor = await self.page(cursor, min(count - len(found), 1000))
            found += items
            if cursor is None:
                break
        return found[:count]

    async def all(self) -> list[T]:
        """All of them."""
        return [item async for item in self]
