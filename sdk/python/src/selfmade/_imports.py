"""Imports that only cells need to have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


@contextmanager
def imports() -> Iterator[None]:
    """Inside, packages may be imported that are not installed here.

    The functions of the file get these imports where they run. Here, everything up to the first package that is missing is
    imported, and the rest is left out.

        with selfmade.imports():
            import pandas as pd

        @selfmade.function
        def rows(path: str) -> int:
            return len(pd.read_csv(path))
    """
    try:
        yield
    except ImportError:
        pass


_show = sys.excepthook


def _show_with_hint(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    _show(kind, error, traceback)
    if isinstance(error, ModuleNotFoundError) and error.name and _is_of_a_script(traceback):
        print(
            f"hint: if only your selfmade functions need `{error.name}`, import it inside them, or at the top in "
            "`with selfmade.imports():`",
            file=sys.stderr,
        )


def _is_of_a_script(traceback: TracebackType | None) -> bool:
    """Whether a file that knows selfmade imports at its top."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    frame = traceback.tb_frame
    return frame.f_code.co_name == "<module>" and "selfmade" in frame.f_globals


sys.excepthook = _show_with_hint
