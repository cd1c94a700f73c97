"""Packs: files of functions, read by the server without running them.

BabyAGI's own packs are part of BabyAGI. They are taken from wherever it is installed; none of its code is run for that,
and none of its dependencies is needed: `pip install --no-deps babyagi` is enough.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from selfmade._connection import server
from selfmade._errors import Conflict, Forbidden, SelfmadeError

# What BabyAGI loads by itself.
_DEFAULTS = ("default/default_functions", "default/ai_functions", "default/os", "default/function_calling_chat")
_lock = threading.Lock()
_loaded_for: set[str] = set()


def load(name_or_path: str, *, prefix: str = "", replace: bool = False) -> None:
    """Loads a file, or one of BabyAGI's own packs by its name."""
    if os.path.exists(name_or_path):
        load_file(name_or_path, prefix=prefix, replace=replace)
    else:
        load_own(name_or_path, prefix=prefix, replace=replace)


def load_own(name: str, *, prefix: str = "", replace: bool = False) -> None:
    """Loads one of BabyAGI's own packs.

    Raises:
        SelfmadeError: there is no such pack.
    """
    folder = own_folder()
    if folder is None:
        raise SelfmadeError(
            f"the pack `{name}` is part of BabyAGI, which is not installed; `pip install --no-deps babyagi` brings its "
            "packs, and SELFMADE_BABYAGI_PACKS can name a folder with them"
        )
    path = folder / f"{name}.py"
    if not path.is_file():
        raise SelfmadeError(f"there is neither a file `{name}` nor a pack `{path}`")
    load_defaults()
    _load(name, path, prefix, replace)


def load_file(path: str, *, prefix: str = "", replace: bool = False) -> None:
    """Loads a file."""
    load_defaults()
    _load(Path(path).stem, Path(path), prefix, replace)


def load_defaults() -> None:
    """Loads what BabyAGI loads by itself, once for each server, if it is installed."""
    address = server.address
    with _lock:
        if address in _loaded_for:
            return
        folder = own_folder()
        for name in _DEFAULTS if folder is not None else ():
            # What came with an imported brain stays as it is, and a token that may only run functions runs them.
            with suppress(Conflict, Forbidden):
                _load(name, Path(str(folder), f"{name}.py"), "", False)
        _loaded_for.add(address)


def own_folder() -> Path | None:
    """The folder with BabyAGI's packs."""
    stated = os.environ.get("SELFMADE_BABYAGI_PACKS")
    if stated:
        return Path(stated)
    found = (Path(entry, "babyagi", "functionz", "packs") for entry in sys.path)
    return next((folder for folder in found if folder.is_dir()), None)


def _load(name: str, path: Path, prefix: str, replace: bool) -> None:
    server.packs.load(path, name=name, prefix=prefix, replace=replace)
