"""What can go wrong, as exceptions that say what to do: with the connection, with a request, with a run."""

from __future__ import annotations

import builtins
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfmade.models import Finding, Run


class SelfmadeError(Exception):
    """Anything that selfmade says no to."""


class ConnectionFailed(SelfmadeError, ConnectionError):
    """The server cannot be reached, or went away before it answered."""


class NoServer(SelfmadeError):
    """No server runs here and none could be started."""


class NoSource(SelfmadeError):
    """The source of a function cannot be found, or leans on what is not stored with it."""


class ApiError(SelfmadeError):
    """The server refused a request. `code` stays the same from release to release."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        hint: str | None = None,
        details: Any = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.hint = hint
        self.details: dict[str, Any] = details if isinstance(details, dict) else {}
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def findings(self) -> list[Finding]:
        """What checks found, each with its place and what to do."""
        from selfmade._shape import load
        from selfmade.models import Finding

        return [load(Finding, finding) for finding in self.details.get("findings", [])]

    def __str__(self) -> str:
        text = self.message if self.hint is None else f"{self.message}; {self.hint}"
        # A message of a single finding is that finding already.
        told = [str(finding) for finding in self.findings if finding.message not in self.message]
        return "\n  ".join([text, *told])


class BadRequest(ApiError):
    """The server does not understand the request."""


class Unauthorized(ApiError):
    """There is no valid token."""


class Forbidden(ApiError):
    """The token is not allowed to do this."""


class NotFound(ApiError, LookupError):
    """There is no such thing."""


class Conflict(ApiError):
    """The brain says no: a name is taken, a state does not allow it, something moved meanwhile."""


class Stale(Conflict):
    """Somebody else changed it since it was read."""


class Refused(ApiError, ValueError):
    """It is understood, and wrong: an input that does not fit, or a check that failed."""


class TooMany(ApiError):
    """Too many wrong tokens were sent from this address; `retry_after` says how long to wait."""


class Unavailable(ApiError):
    """The server cannot do it now, or made a mistake."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Stale,
    422: Refused,
    429: TooMany,
}


def api_error(status: int, body: Any, request_id: str | None, retry_after: float | None) -> ApiError:
    """The exception for an answer that is no success, whatever its body is."""
    told = body.get("error") if isinstance(body, dict) else None
    told = told if isinstance(told, dict) else {}
    kind = _BY_STATUS.get(status, Unavailable if status >= 500 else BadRequest)
    return kind(
        str(told.get("message") or f"the server answered with status {status}"),
        status=status,
        code=str(told.get("code") or "unknown"),
        hint=told.get("hint"),
        details=told.get("details"),
        request_id=request_id,
        retry_after=retry_after,
    )


class RunError(SelfmadeError):
    """A run gave no result. `run` is its record."""

    def __init__(self, run: Run, message: str) -> None:
        super().__init__(message)
        self.run = run


class RunWaiting(RunError):
    """A run is waiting for a person. `question` is what it asks."""

    def __init__(self, run: Run) -> None:
        self.question = run.question
        super().__init__(
            run,
            f"run {run.id} of `{run.name}` asks {self.question!r}; answer with `selfmade.runs.answer({run.id!r}, …)`",
        )


class RunUnfinished(RunError, TimeoutError):
    """A run goes on after the time somebody wanted to wait for it."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, f"run {run.id} of `{run.name}` is still {run.state}; it goes on")


class RunCancelled(RunError):
    """A run was cancelled."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, f"run {run.id} of `{run.name}` was cancelled")


class RunFailed(RunError):
    """A run failed. `ending` says how, `type` and `message` what was raised, `traceback` where, `hint` what to do if that is known.

    What is shown of the traceback leaves out frames of libraries, unless the variable `SELFMADE_TRACEBACK` is `full`.
    """

    def __init__(self, run: Run) -> None:
        error = run.error
        self.ending = run.ending
        self.type = error.type if error else str(run.ending)
        self.message = error.message if error else f"run {run.id} of `{run.name}` ended: {run.ending}"
        self.traceback = error.traceback if error else None
        self.hint = error.hint if error else None
        super().__init__(run, self.message)
        if self.traceback and (self.hint is None or _shows_all()):
            self.__cause__ = RemoteTraceback(self.traceback if _shows_all() else folded(self.traceback))

    def __str__(self) -> str:
        # A `KeyError` would show the text as a key.
        return f"{self.hint}\n{self.message}" if self.hint else self.message


class RunRaised(RunFailed):
    """The function raised an exception.

    If it was a built-in one, this is also an instance of that: `except ValueError` catches a `ValueError` of a run.
    """


class RunTimedOut(RunFailed, TimeoutError):
    """The function took longer than it may."""


class RunOutOfMemory(RunFailed, MemoryError):
    """The function exceeded its memory limit."""


class RunBroken(RunFailed):
    """The cell of the function crashed, was killed, broke the protocol or was lost."""


def _shows_all() -> bool:
    return os.environ.get("SELFMADE_TRACEBACK") == "full"


_FRAME = re.compile(r'  File "([^"]*)", line ')
_OWN = re.compile(r"[^/]+@[0-9]+")


def folded(traceback: str) -> str:
    """A traceback whose frames of libraries are folded, unless it has no others."""
    shown: list[str] = []
    hidden, is_hidden, has_own = 0, False, False
    for line in traceback.splitlines():
        if frame := _FRAME.match(line):
            is_hidden = _OWN.fullmatch(frame[1]) is None
            hidden += is_hidden
            has_own |= not is_hidden
        elif not line.startswith("    "):
            is_hidden = False
        if not is_hidden:
            if hidden:
                shown.append(f"  … {hidden} frame{'s' * (hidden > 1)} in libraries")
            hidden = 0
            shown.append(line)
    return "\n".join(shown) if has_own else traceback


class RemoteTraceback(Exception):
    """Where something was raised inside a cell; shown above the exception that it became here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text.rstrip()}\n"""'


_BY_ENDING: dict[str, type[RunFailed]] = {"timed_out": RunTimedOut, "out_of_memory": RunOutOfMemory}


def run_failed(run: Run) -> RunFailed:
    """The exception for a run that failed."""
    if run.ending == "raised" and run.error is not None:
        return _raised(run.error.type)(run)
    return _BY_ENDING.get(str(run.ending), RunBroken)(run)


@lru_cache(maxsize=256)
def _raised(name: str) -> type[RunRaised]:
    """`RunRaised` joined with the built-in exception of that name, if there is one and the two can be joined."""
    base = getattr(builtins, name, None)
    if not (isinstance(base, type) and issubclass(base, Exception)) or issubclass(
        base, (StopIteration, StopAsyncIteration)
    ):
        return RunRaised
    try:
        # Some built-in exceptions take arguments that ours does not have, or have a shape of their own.
        base("")
        return type(f"RunRaised[{name}]", (RunRaised, base), {"__module__": "selfmade", "__doc__": RunRaised.__doc__})
    except TypeError:
        return RunRaised
