"""The framework: what BabyAGI calls `func`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from selfmade.babyagi import _api, _packs
from selfmade.babyagi._db import Db
from selfmade.babyagi._event_triggers import register_trigger
from selfmade.babyagi._executor import Executor
from selfmade.babyagi._registrar import Registrar

if TYPE_CHECKING:
    from selfmade.babyagi._registering import Registered


class Functionz:
    """Functions of the server's brain: registered, called as attributes, looked at, changed.

    However many of these there are, they are views of the same brain, wherever the program was started.
    """

    def __init__(self, db_type: str = "local", **db_options: Any) -> None:
        if db_type != "local" or db_options:
            warnings.warn("the server decides where its brain is; see SELFMADE_HOME and SELFMADE_SERVER", stacklevel=2)
        self.db = Db()
        self.executor = Executor()
        self.registrar = Registrar()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.executor.stored(name)

    def execute_function(self, function_name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Runs a stored function."""
        return self.executor.execute(function_name, *args, **kwargs)

    def get_function(self, name: str) -> dict[str, Any] | None:
        """What is known of a function, or nothing."""
        return self.db.get_function(name)

    def get_function_versions(self, name: str) -> list[dict[str, Any]]:
        """All its versions, the oldest first."""
        return self.db.get_function_versions(name)

    def get_all_functions(self) -> list[dict[str, Any]]:
        """All functions, by name."""
        return self.db.get_all_functions()

    def activate_function_version(self, name: str, version: int) -> None:
        """Makes another version the one that is called."""
        self.db.activate_function_version(name, version)

    def get_function_imports(self, name: str) -> list[dict[str, Any]]:
        """What its active version imports."""
        return self.db.get_function_imports(name)

    def register_function(self, *args: Any, **stated: Any) -> Callable[[Callable[..., Any]], Registered]:
        """A decorator that registers a function and gives back what calls it on the server."""
        return self.registrar.register_function(*args, **stated)

    def add_function(self, *args: Any, **stated: Any) -> None:
        """Registers a function from its text."""
        self.registrar.add_function(*args, **stated)

    def update_function(self, *args: Any, **stated: Any) -> None:
        """Changes what is stated, and nothing else."""
        self.registrar.update_function(*args, **stated)

    def add_key(self, key_name: str, key_value: str) -> None:
        """Keeps a secret on the server. Functions that name it in `key_dependencies` get it, and nobody else."""
        self.db.add_secret_key(key_name, key_value)

    def get_all_secret_keys(self) -> dict[str, str]:
        """The names of all secrets, each with a mark in place of its value."""
        return self.db.get_all_secret_keys()

    def get_all_imports(self) -> list[dict[str, Any]]:
        """What functions import, each once."""
        return self.db.get_all_imports()

    def load_function_pack(self, pack_name: str) -> None:
        """Loads one of BabyAGI's own packs."""
        _packs.load_own(pack_name)

    def load_functions_from_file(self, file_path: str) -> None:
        """Loads a pack from a file."""
        _packs.load_file(file_path)

    def load_functions(self, pack_name_or_path: str, *, prefix: str = "", replace: bool = False) -> None:
        """Loads a pack from a file, or one of BabyAGI's own by its name."""
        _packs.load(pack_name_or_path, prefix=prefix, replace=replace)

    def add_trigger(self, triggered_function_name: str, triggering_function_name: str | None = None) -> None:
        """Makes a function run after another, or after any."""
        self.db.add_trigger(triggered_function_name, triggering_function_name)

    def register_trigger(self, *args: Any, **stated: Any) -> None:
        """Makes a function run when something happens to another: see `selfmade.babyagi.register_trigger`."""
        register_trigger(*args, **stated)

    def get_triggers_for_function(self, function_name: str) -> list[str]:
        """The functions after which this one runs."""
        found: list[str] = _api.get("triggers", function_name)
        return found

    def get_logs(
        self, function_name: str | None = None, start_date: datetime | None = None, end_date: datetime | None = None
    ) -> list[dict[str, Any]]:
        """Runs and their calls, the oldest first."""
        return self.db.get_logs(function_name, start_date, end_date)

    def display(self) -> str:
        """All functions as one text."""
        return "\n\n".join(_displayed(one) for one in self.get_all_functions())


def _displayed(one: dict[str, Any]) -> str:
    lines = [f"{one['name']}, version {one['version']} of {one['created_date']}", f"  metadata: {one['metadata']}"]
    lines += [f"  {what}: {', '.join(one[what])}" for what in ("dependencies", "imports", "triggers") if one[what]]
    for what in ("input_parameters", "output_parameters"):
        listed = ", ".join(f"{each['name']} ({each['type']})" for each in one[what])
        lines.append(f"  {what}: {listed or 'none'}")
    return "\n".join([*lines, one["code"]])


func = Functionz()
