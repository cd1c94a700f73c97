"""The program `selfmade`: where it is, and what it answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from selfmade._errors import NoServer

_NAME = "selfmade.exe" if sys.platform == "win32" else "selfmade"
# Looking at a brain or making a token takes a moment; a database far away may take some.
_SECONDS = 30.0


def binary() -> str:
    """`SELFMADE_BINARY`, else the one that came with this package, else one on the path.

    Raises:
        NoServer: there is none.
    """
    stated = os.environ.get("SELFMADE_BINARY")
    if stated:
        return stated
    for folder in _script_folders():
        path = folder / _NAME
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which(_NAME)
    if found is None:
        raise NoServer(
            "no server is named and there is no `selfmade` program to start one; set SELFMADE_SERVER and "
            "SELFMADE_TOKEN, or SELFMADE_BINARY, or install the package from a wheel"
        )
    return found


def _script_folders() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    # `pip install --target` puts programs beside the packages.
    yield Path(__file__).parent.parent / "bin"


def command(*arguments: str) -> str:
    """What the program writes to its standard output.

    Raises:
        NoServer: it cannot be run, or says no.
    """
    program = binary()
    try:
        done = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoServer(f"`{program}` cannot be run: {error}") from error
    if done.returncode != 0:
        said = done.stderr.strip() or f"it ended with code {done.returncode}"
        raise NoServer(f"`selfmade {arguments[0]}` failed: {said}")
    return done.stdout
