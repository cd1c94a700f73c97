"""Insights: how functions do."""

from __future__ import annotations

from datetime import datetime

from selfmade._aio.resource import AsyncResource
from selfmade._http import segment
from selfmade.models import Insight


class AsyncInsights(AsyncResource):
    """What the records of runs tell."""

    async def list(self, *, since: datetime | None = None) -> _List[Insight]:
        """Of all functions that ran, most total time first."""
        return await self._get_all(Insight, "/insights", {"since": since})

    async def get(self, name: str, *, since: datetime | None = None) -> Insight:
        """Of one function."""
        return await self._get(Insight, f"/insights/{segment(name)}", {"since": since})


_List = list
