# Made from `_aio` by twins.py; change it there.
"""A run that somebody holds on to."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from selfmade._errors import RunError
from selfmade.models import Printed, Run, RunRecord, Step

if TYPE_CHECKING:
    from selfmade._sync.runs import Runs


class RunHandle:
    """A run that goes on by itself. `run` is what was last known of it."""

    def __init__(self, runs: Runs, run: Run) -> None:
        self._runs = runs
        self.run = run

    @property
    def id(self) -> str:
        """Its id."""
        return self.run.id

    def wait(self, seconds: float | None = None) -> Run:
        """The run when it has ended or asks a person; or as it is after so many seconds."""
        self.run = self._runs.wait(self.run, wait=seconds)
        return self.run

    def result(self, seconds: float | None = None) -> Any:
        """What the function returned, as soon as it has.

        Raises:
            RunError: there is no result, or not after so many seconds; or it was not recorded.
        """
        run = self.wait(seconds)
        result = run.result()
        kept = run.raw.get("how", {}).get("record", "all")
        if result is None and kept != "all":
            raise RunError(
                run,
                f"the result of run {run.id} is not recorded, because `{run.name}` declares `record={kept!r}`; "
                "call the function instead of submitting it",
            )
        return result

    def record(self) -> RunRecord:
        """Everything that is known of it now."""
        record = self._runs.get(self.run)
        self.run = record
        return record

    def stream(self) -> Generator[Run | Step | Printed, None, None]:
        """What it does until it ends."""
        return self._runs.stream(self.run)

    def cancel(self) -> list[str]:
        """Ends it and everything it started; answers the ids of those."""
        return self._runs.cancel(self.run)

    def answer(self, value: Any) -> Run:
        """Answers what it asked."""
        self.run = self._runs.answer(self.run, value)
        return self.run

    def __repr__(self) -> str:
        return f"<run {self.id} of `{self.run.name}`, {self.run.state} when last seen>"
