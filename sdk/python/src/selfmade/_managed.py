"""What `@selfmade.function` returns: a function whose calls are runs.

How those are started is `_running`'s business, which is imported when it is first needed: importing a pack stays quick
and asks nothing of the network.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from selfmade._plain import is_plain, plain
from selfmade._source import Uses, decorated, definition, modified

if TYPE_CHECKING:
    from selfmade.client import AsyncRunHandle, RunHandle
    from selfmade.models import Printed, Run, Step

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """How a run is started, beside its arguments."""

    timeout: float | None = None
    retries: int | Mapping[str, float] | None = None
    idempotency_key: str | None = None


class ManagedFunction(Generic[P, R]):
    """A function that selfmade stores and runs.

    Calling it is a run: in a cell on the server, with the grants it declares, recorded. The first call stores it, with
    the decorated functions that it calls; a later one does so again if another server is used by then. `.local(…)`
    calls the Python function here.
    """

    def __init__(self, fn: Callable[P, R], declared: dict[str, Any], options: Options | None = None) -> None:
        functools.update_wrapper(self, fn)
        self.fn: Any = fn
        # A file that is changed later has other lines where this function was.
        self._seen = modified(self.fn)
        self._options = options or Options()
        self.__selfmade__ = declared

    @property
    def name(self) -> str:
        """The name under which it is stored."""
        return str(self.fn.__name__)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs it on the server and returns what it returns; inside `selfmade.plain()` it is called here."""
        if is_plain():
            return self.local(*args, **kwargs)
        return self.remote(*args, **kwargs)

    def remote(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs it on the server, also inside `selfmade.plain()`.

        An `async def` gives something to await, a generator an iterator, as they do here.
        """
        from selfmade import _running

        given: Any
        if inspect.isasyncgenfunction(self.fn):
            given = _later(_running.result_later(self, self._options, args, kwargs))
        elif inspect.iscoroutinefunction(self.fn):
            given = _running.result_later(self, self._options, args, kwargs)
        else:
            given = _running.result(self, self._options, args, kwargs)
            given = iter(given) if inspect.isgeneratorfunction(self.fn) else given
        answer: R = given
        return answer

    def local(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the Python function here, and with it the decorated functions that it calls. Nothing is recorded."""
        given: Any
        with plain():
            given = self.fn(*args, **kwargs)
        if inspect.isasyncgenfunction(self.fn):
            given = _plainly_yielded_later(given)
        elif inspect.iscoroutinefunction(self.fn):
            given = _plainly_later(given)
        elif inspect.isgeneratorfunction(self.fn):
            given = _plainly_yielded(given)
        answer: R = given
        return answer

    @overload
    async def aio(self: ManagedFunction[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs) -> T: ...

    @overload
    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    async def aio(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on the server, to be awaited."""
        from selfmade import _running

        return await _running.result_later(self, self._options, args, kwargs)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> RunHandle:
        """Queues a run and returns at once. It survives the end of this program."""
        from selfmade import _running

        return _running.submit(self, self._options, args, kwargs)

    async def submit_aio(self, *args: P.args, **kwargs: P.kwargs) -> AsyncRunHandle:
        """Queues a run, to be awaited."""
        from selfmade import _running

        return await _running.submit_later(self, self._options, args, kwargs)

    def stream(self, *args: P.args, **kwargs: P.kwargs) -> Generator[Run | Step | Printed, None, None]:
        """Runs it on the server, and tells what it does until it ends: its states, its steps, what it prints."""
        yield from self.submit(*args, **kwargs).stream()

    async def stream_aio(self, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[Run | Step | Printed, None]:
        """The same, to be iterated with `async for`."""
        handle = await self.submit_aio(*args, **kwargs)
        async for news in handle.stream():
            yield news

    def options(
        self,
        *,
        timeout: float | None = None,
        retries: int | Mapping[str, float] | None = None,
        idempotency_key: str | None = None,
    ) -> ManagedFunction[P, R]:
        """The same function, whose runs may take so many seconds, are tried again so often, or are started once for that key.

        They are stated here because every keyword of a call is an argument of the function.
        """
        options = Options(timeout, retries, idempotency_key)
        other: ManagedFunction[P, R] = ManagedFunction(self.fn, self.__selfmade__, options)
        other._seen = self._seen
        return other

    def register(self) -> int:
        """Stores it now, with the decorated functions that it calls, and returns its version.

        The same text gives the same version.

        Raises:
            NoSource: its source cannot be found, or leans on what is not stored with it.
            Refused: a check failed; `findings` says where and why.
        """
        from selfmade import _running

        return _running.register(self)

    @property
    def source(self) -> str:
        """What is stored of it."""
        return self.read()[0]

    def read(self) -> tuple[str, list[ManagedFunction[Any, Any]]]:
        """What is stored of it, and the decorated functions that it calls."""
        text = definition(self.fn, self._seen)
        uses = Uses(self.fn, text, lambda value: isinstance(value, ManagedFunction))
        called = uses.dependencies
        renamed = [f"{other.name} as {name}" for name, other in called.items() if name != other.name]
        declared = self.__selfmade__
        if renamed:
            declared = {**declared, "dependencies": [*declared.get("dependencies", []), *renamed]}
        return decorated(text, uses, declared), [*called.values()]

    def __reduce__(self) -> str:
        # Other processes find it where it was defined, as they find any function.
        return str(self.fn.__qualname__)

    def __repr__(self) -> str:
        return f"<selfmade function {self.name}{inspect.signature(self.fn)}>"

    def _repr_html_(self) -> str:
        from selfmade._html import code

        return code(f"{self.name}{inspect.signature(self.fn)}", inspect.getdoc(self.fn) or "")


async def _later(values: Coroutine[Any, Any, list[Any]]) -> AsyncIterator[Any]:
    for value in await values:
        yield value


def _plainly_yielded(values: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    while True:
        with plain():
            try:
                value = next(values)
            except StopIteration as end:
                return end.value
        yield value


async def _plainly_later(work: Coroutine[Any, Any, Any]) -> Any:
    with plain():
        return await work


async def _plainly_yielded_later(values: AsyncIterator[Any]) -> AsyncIterator[Any]:
    while True:
        with plain():
            try:
                value = await anext(values)
            except StopAsyncIteration:
                return
        yield value
