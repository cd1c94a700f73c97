"""The token with which Python signs in to the local server.

It is kept in the data folder, readable by its owner alone, beside the key that seals the secrets: whoever can read it
could make one. Keeping it means that all that Python ever did has the same name in the records.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path

from selfmade._binary import command
from selfmade._errors import NoServer

_NAME = "python"


class OwnToken:
    """The token for the database that a data folder has here."""

    def __init__(self, home: Path) -> None:
        self._file = home / "python-tokens.json"
        # The folder names one database, unless this variable names another, which may have a password in it.
        named = os.environ.get("SELFMADE_DATABASE", "")
        self._database = hashlib.sha256(named.encode()).hexdigest() if named else "brain"

    def kept(self) -> str | None:
        """The one that was made before."""
        return self._all().get(self._database)

    def make(self) -> str:
        """Makes another one and keeps it."""
        try:
            text = _add(_NAME)
        except NoServer:
            # The name is taken, by a token whose text was lost.
            text = _add(f"{_NAME}-{secrets.token_hex(4)}")
        self._keep({**self._all(), self._database: text})
        return text

    def _all(self) -> dict[str, str]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def _keep(self, tokens: dict[str, str]) -> None:
        # Written aside and moved, so that nobody ever reads half of it.
        aside = self._file.with_name(f"{self._file.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(tokens, file)
        os.replace(aside, self._file)


def _add(name: str) -> str:
    return command("token", "add", name, "--role", "admin", "--quiet").strip()
