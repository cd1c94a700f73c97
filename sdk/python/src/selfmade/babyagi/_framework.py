"""Functions of BabyAGI's default pack that do nothing but call its framework, and need more than a cell has.

Called from outside they are carried out here, with the rights of this program's token, whether that pack is loaded or
not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def framework(name: str) -> Callable[..., Any] | None:
    """What a call of this name does, if it is one of these."""
    verb = _VERBS.get(name)
    return None if verb is None or _is_somebodys_own(name) else verb


def _is_somebodys_own(name: str) -> bool:
    """Whether a function of that name is stored that was not written for BabyAGI."""
    from selfmade._connection import server
    from selfmade._errors import NotFound

    try:
        return server.functions.get(name).content.dialect != "babyagi"
    except NotFound:
        return False


def _func() -> Any:
    from selfmade.babyagi._functionz import func

    return func


def add_new_function(
    name: str,
    code: str,
    metadata: Any = None,
    imports: Any = None,
    dependencies: Any = None,
    key_dependencies: Any = None,
    triggers: Any = None,
) -> bool:
    """Registers a function from its text."""
    _func().add_function(
        name,
        code=code,
        metadata=metadata,
        imports=imports,
        dependencies=dependencies,
        key_dependencies=key_dependencies,
        triggers=triggers,
    )
    return True


def add_key_wrapper(key_name: str, key_value: str) -> None:
    """Keeps a secret."""
    _func().add_key(key_name, key_value)


def get_all_secret_keys() -> dict[str, str]:
    """The names of secrets."""
    return dict(_func().get_all_secret_keys())


def get_logs_wrapper(function_name: Any = None, start_date: Any = None, end_date: Any = None) -> Any:
    """The log."""
    return _func().get_logs(function_name, start_date, end_date)


def activate_function_version_wrapper(name: str, version: int) -> None:
    """Makes another version the one that is called."""
    _func().activate_function_version(name, version)


def add_trigger_wrapper(triggered_function_name: str, triggering_function_name: str | None = None) -> None:
    """Makes a function run after another."""
    _func().add_trigger(triggered_function_name, triggering_function_name)


def get_all_imports_wrapper() -> Any:
    """What functions import."""
    return _func().get_all_imports()


_VERBS: dict[str, Callable[..., Any]] = {
    verb.__name__: verb
    for verb in (
        activate_function_version_wrapper,
        add_key_wrapper,
        add_new_function,
        add_trigger_wrapper,
        get_all_imports_wrapper,
        get_all_secret_keys,
        get_logs_wrapper,
    )
}
