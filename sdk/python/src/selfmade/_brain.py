"""The brain that is used here, and who serves it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selfmade._binary import command
from selfmade._listening import listening

_SERVED = re.compile(r"served at http://(\[[^\]]+\]|[^:/\s]+):(\d+)")


@dataclass(frozen=True)
class Brain:
    """A data folder and its database, as the program describes them."""

    home: Path
    database: str

    @classmethod
    def here(cls) -> Brain:
        """The one that the program uses here. Asking makes it where there is none."""
        status = json.loads(command("--json"))
        return cls(Path(status["home"]), str(status["database"]))

    def served_at(self) -> Iterator[tuple[str, int]]:
        """Hosts and ports at which a server of this brain may be found.

        Where the program says, and where the process listens that left its id beside the database.
        """
        said = _SERVED.match(self.database)
        if said:
            yield said[1].strip("[]"), int(said[2])
        for pid in self._servers():
            yield from listening(pid)

    def is_served(self) -> bool:
        """Whether a process that serves it is there, also if it does not listen yet."""
        return any(_is_there(pid) for pid in self._servers())

    def _servers(self) -> Iterator[int]:
        beside = Path(f"{os.path.realpath(self.database)}.serve")
        for file in {beside, *self.home.glob("*.serve")}:
            try:
                yield int(file.read_text(encoding="ascii"))
            except (OSError, ValueError):
                continue


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
