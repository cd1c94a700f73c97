# Made from `_aio` by twins.py; change it there.
"""Insights: how functions do."""

from __future__ import annotations

from datetime import datetime

from selfmade._sync.resource import Resource
from selfmade._http import segment
from selfmade.models import Insight


class Insights(Resource):
    """What the records of runs tell."""

    def list(self, *, since: datetime | None = None) -> _List[Insight]:
        """Of all functions that ran, most total time first."""
        return self._get_all(Insight, "/insights", {"since": since})

    def get(self, name: str, *, since: datetime | None = None) -> Insight:
        """Of one function."""
        return self._get(Insight, f"/insights/{segment(name)}", {"since": since})


_List = list
