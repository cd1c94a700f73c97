"""What the decorator gives back: something that is called like the function, and runs on the server."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class Registered:
    """A registered function. There is one way to call it, and every call is a run."""

    def __init__(self, fn: Callable[..., Any], name: str, stated: dict[str, Any]) -> None:
        functools.update_wrapper(self, fn)
        self.__name__: str = name
        self.__pythonfunc_metadata__ = stated

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from selfmade.babyagi._functionz import func

        return func.executor.execute(self.__name__, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<registered function {self.__name__}>"
