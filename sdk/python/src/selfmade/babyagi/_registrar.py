"""`func.registrar`: functions on their way to the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from selfmade import _source
from selfmade._connection import server
from selfmade.babyagi import _api, _packs

if TYPE_CHECKING:
    from selfmade.babyagi._registering import Registered


class Registrar:
    """Registers and changes functions. What cannot be done is an exception, and changes nothing."""

    def register_function(
        self,
        metadata: dict[str, Any] | None = None,
        imports: Any = None,
        dependencies: list[str] | None = None,
        triggers: list[str] | None = None,
        key_dependencies: list[str] | None = None,
        *,
        name: str | None = None,
        secrets: list[str] | None = None,
        **options: Any,
    ) -> Callable[[Callable[..., Any]], Registered]:
        """A decorator that registers a function and gives back what calls it on the server.

        `name` is the name it is stored under instead of its own; `secrets` are more of its `key_dependencies`.
        """
        from selfmade.babyagi._registering import Registered

        if callable(metadata):
            # A bare `@register_function`.
            return self.register_function()(metadata)
        keys = key_dependencies if secrets is None else [*(key_dependencies or ()), *secrets]
        stated = _stated(metadata, imports, dependencies, triggers, keys)

        def register(fn: Any) -> Registered:
            stored = name or fn.__name__
            code = _source.renamed(_source.definition(fn, _source.modified(fn)), stored.rpartition(".")[2])
            self.add_function(stored, code=code, **stated, **options)
            return Registered(fn, stored, stated)

        return register

    def add_function(
        self,
        name: str,
        metadata: dict[str, Any] | None = None,
        code: str | None = None,
        imports: Any = None,
        dependencies: list[str] | None = None,
        triggers: list[str] | None = None,
        key_dependencies: list[str] | None = None,
        input_parameters: Any = None,
        output_parameters: Any = None,
        **options: Any,
    ) -> None:
        """Registers a function from its text. What it takes and gives is read from the text, whatever is said here.

        Beside BabyAGI's arguments it takes what else a function can state, such as `network=["api.example.com"]`.
        """
        _packs.load_defaults()
        stated = _stated(metadata, imports, dependencies, triggers, key_dependencies)
        if options:
            # BabyAGI's routes know nothing of these; a pack of one function does.
            arguments = ", ".join(f"{name}={value!r}" for name, value in {**stated, **options}.items())
            text = f"@func.register_function({arguments})\n{code}\n"
            server.packs.load({f"{name}.py": text}, name=f"registered/{name}", replace=True)
        else:
            _api.change("POST", "function", name, "register", body={**stated, "code": code})

    def update_function(
        self,
        name: str,
        metadata: dict[str, Any] | None = None,
        code: str | None = None,
        imports: Any = None,
        dependencies: list[str] | None = None,
        triggers: list[str] | None = None,
        key_dependencies: list[str] | None = None,
        input_parameters: Any = None,
        output_parameters: Any = None,
    ) -> None:
        """Changes what is stated, and nothing else."""
        stated = _stated(metadata, imports, dependencies, triggers, key_dependencies)
        _api.change("PUT", "function", name, body={**stated, **({} if code is None else {"code": code})})


def _stated(metadata: Any, imports: Any, dependencies: Any, triggers: Any, key_dependencies: Any) -> dict[str, Any]:
    stated = {
        "metadata": metadata,
        "imports": imports,
        "dependencies": dependencies,
        "triggers": triggers,
        "key_dependencies": key_dependencies,
    }
    return {name: value for name, value in stated.items() if value is not None}
