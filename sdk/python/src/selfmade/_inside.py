"""What the module `selfmade` offers to functions inside a run.

Here the names are there for tools to check and complete; outside a run they say that there is none.
"""

from __future__ import annotations

from typing import Any, NoReturn

from selfmade._errors import SelfmadeError


class OutsideRun(SelfmadeError):
    """Something that only a run can do was asked for outside of one."""


class BudgetExhausted(SelfmadeError):
    """A budget has no room for what a run asks for. Inside a run, host verbs raise it."""


def _refuse(name: str) -> NoReturn:
    hint = "call the function itself, not its `.local`"
    if name.startswith("secrets."):
        hint = "`selfmade.server.secrets` lists, sets and deletes them"
    raise OutsideRun(f"`selfmade.{name}` works inside a run; {hint}")


def ask(question: str, options: list[Any] | None = None) -> Any:
    """Asks a person, and returns the answer."""
    _refuse("ask")


def ask_budget(
    reason: str,
    money: float | None = None,
    tokens: float | None = None,
    turns: float | None = None,
    functions: float | None = None,
    seconds: float | None = None,
    depth: float | None = None,
) -> Any:
    """Asks a person for a larger budget, and returns what was added, or None."""
    _refuse("ask_budget")


def sleep(seconds: float) -> None:
    """Rests, without a cell if it takes long."""
    _refuse("sleep")


def now() -> float:
    """The time in seconds since 1970, which is the same when the run is resumed or replayed."""
    _refuse("now")


def random() -> float:
    """A number from 0 to 1, which is the same when the run is resumed or replayed."""
    _refuse("random")


def log(message: Any) -> None:
    """Writes a line to the record of the run."""
    _refuse("log")


def emit(name: str, data: Any = None) -> None:
    """Appends an event `custom.NAME`, which triggers may watch."""
    _refuse("emit")


class Inside:
    """A name that holds more of what only a run can do."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Inside(f"{self._name}.{name}")

    def __getitem__(self, name: str) -> Any:
        _refuse(f"{self._name}[{name!r}]")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _refuse(self._name)

    def __repr__(self) -> str:
        return f"<selfmade.{self._name}, inside a run>"


# Secrets that the function was granted: `selfmade.secrets["API_KEY"]`.
secrets: Any = Inside("secrets")
# The brain, for functions that declare it: `selfmade.brain.search(…)`.
brain: Any = Inside("brain")
# The folder of the function: `selfmade.files.write(name, content)`.
files: Any = Inside("files")
# Values that outlive runs, for functions that declare it: `selfmade.storage.set(key, value)`.
storage: Any = Inside("storage")
# Language models, for functions that declare it: `selfmade.model.chat(messages)`.
model: Any = Inside("model")
# The meta-tools that a language model can be offered, for functions that declare the brain: `selfmade.tools.call(name, arguments)`.
tools: Any = Inside("tools")
