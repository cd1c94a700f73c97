"""`func.db`: what BabyAGI asks of its database."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any, NoReturn

from selfmade._connection import server
from selfmade._errors import NotFound, SelfmadeError
from selfmade.babyagi import _api
from selfmade.babyagi._registrar import Registrar

Row = dict[str, Any]


class Db:
    """Functions, keys, triggers and logs, as rows."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._lock = threading.Lock()

    def add_function(self, *args: Any, **stated: Any) -> None:
        """Registers a function from its text."""
        Registrar().add_function(*args, **stated)

    def update_function(self, *args: Any, **stated: Any) -> None:
        """Changes what is stated, and nothing else."""
        Registrar().update_function(*args, **stated)

    def get_function(self, name: str) -> Row | None:
        """What is known of a function, or nothing."""
        try:
            found: Row = _api.get("function", name)
        except NotFound:
            return None
        return found

    def get_all_functions(self) -> list[Row]:
        """All functions, by name."""
        found: list[Row] = _api.get("functions")
        return found

    def remove_function(self, name: str) -> None:
        """Deletes a function; its versions and its log stay. Refused while others call it."""
        _api.change("DELETE", "function", name)

    def get_function_versions(self, name: str) -> list[Row]:
        """All its versions, the oldest first."""
        found: list[Row] = _api.get("function", name, "versions")
        return found

    def activate_function_version(self, name: str, version: int) -> None:
        """Makes another version the one that is called."""
        _api.change("POST", "function", name, "activate", str(version))

    def add_import(self, name: str, source: str, lib: str | None = None) -> None:
        """Imports belong to functions, which declare them; there is nothing to do."""

    def get_all_imports(self) -> list[Row]:
        """What functions import, each once."""
        found: list[Row] = _api.get("imports")
        return found

    def get_function_imports(self, name: str) -> list[Row]:
        """What its active version imports."""
        function = self.get_function(name)
        declared = set(function["imports"]) if function else set()
        return [row for row in self.get_all_imports() if row["name"] in declared]

    def get_logs(
        self,
        function_name: str | None = None,
        start_date: datetime | None = None,
        end_date: datetime | None = None,
        triggered_by_log_id: str | None = None,
    ) -> list[Row]:
        """Runs and their calls, the oldest first, and what this program added itself."""
        path = ("logs",) if function_name is None else ("logs", function_name)
        dates = {"start_date": start_date, "end_date": end_date}
        rows: list[Row] = _api.pages(*path, **dates, triggered_by_log_id=triggered_by_log_id)
        wanted = (function_name, triggered_by_log_id)
        return rows + [row for row in self._own() if _fits(row, wanted, start_date, end_date)]

    def get_log_bundle(self, log_id: str) -> list[Row]:
        """Everything that belongs to the same piece of work as one row."""
        own = [row for row in self._own() if row["id"] == log_id]
        rows: list[Row] = own or _api.get("log_bundle", str(log_id))["logs"]
        return rows

    def add_log(
        self,
        function_name: str,
        message: str,
        timestamp: datetime | None = None,
        params: Any = None,
        output: Any = None,
        time_spent: float | None = None,
        parent_log_id: Any = None,
        triggered_by_log_id: Any = None,
        log_type: str = "info",
    ) -> int:
        """Adds a row that this program alone sees, because what happened is recorded by the server; its number."""
        with self._lock:
            row = {
                "id": len(self._rows) + 1,
                "function_name": function_name,
                "message": message,
                "timestamp": (timestamp or datetime.now()).isoformat(),
                "params": params,
                "output": output,
                "time_spent": time_spent,
                "parent_log_id": parent_log_id,
                "triggered_by_log_id": triggered_by_log_id,
                "log_type": log_type,
            }
            self._rows.append(row)
            return len(self._rows)

    def update_log(self, log_id: int, **changed: Any) -> None:
        """Changes a row that this program added."""
        with self._lock:
            row = next((row for row in self._rows if row["id"] == log_id), None)
            if row is None:
                raise SelfmadeError(
                    f"`{log_id}` is no row that this program added; what the server recorded stays as it is"
                )
            unknown = [name for name in changed if name not in row]
            if unknown:
                raise TypeError(f"a row of the log has no `{unknown[0]}`")
            row.update(changed)

    def update_log_params(self, log_id: int, params: Any) -> None:
        """The same for its parameters."""
        self.update_log(log_id, params=params)

    def _own(self) -> list[Row]:
        with self._lock:
            return [dict(row) for row in self._rows]

    def add_secret_key(self, key_name: str, key_value: str) -> None:
        """Keeps a secret on the server."""
        server.secrets.set(key_name, key_value)

    def get_secret_key(self, key_name: str) -> str | None:
        """A mark in place of its value, or nothing where there is none."""
        return self.get_all_secret_keys().get(key_name)

    def get_all_secret_keys(self) -> dict[str, str]:
        """The names of all secrets, each with a mark in place of its value."""
        return {secret.name: f"[secret {secret.name}]" for secret in server.secrets.list()}

    def add_trigger(self, triggered_function_name: str, triggering_function_name: str | None = None) -> None:
        """Makes a function run after another, or after any."""
        body = {"triggering_function_name": triggering_function_name}
        _api.change("POST", "triggers", triggered_function_name, body=body)

    def get_triggers_for_function(self, function_name: str) -> list[str]:
        """The functions that run after this one: the other way round than `func.get_triggers_for_function`."""
        found: list[str] = _api.get("triggered", function_name)
        return found

    def session_scope(self) -> NoReturn:
        """There is no session to hand out."""
        raise SelfmadeError(
            "the database is the server's; ask for what you need with the methods of `func` and `func.db`"
        )


def _fits(row: Row, wanted: tuple[str | None, Any], start: datetime | None, end: datetime | None) -> bool:
    name, trigger = wanted
    at = datetime.fromisoformat(row["timestamp"]).replace(tzinfo=None)
    return (
        (name is None or row["function_name"] == name)
        and (trigger is None or row["triggered_by_log_id"] == trigger)
        and (start is None or at >= start.replace(tzinfo=None))
        and (end is None or at <= end.replace(tzinfo=None))
    )
