"""BabyAGI's module on selfmade: what was written for `babyagi` runs here with its import changed.

    import selfmade.babyagi as babyagi

    @babyagi.register_function()
    def world():
        return "world"

    @babyagi.register_function(dependencies=["world"])
    def hello_world():
        return f"Hello {world()}!"

    hello_world()           # a run, on the server
    babyagi.hello_world()   # the same

`install()` makes `import babyagi` and `import functionz` mean this module; `python -m selfmade.babyagi SCRIPT` does so
for one script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from selfmade.babyagi._event_triggers import register_trigger
from selfmade.babyagi._functionz import Functionz, func

if TYPE_CHECKING:
    from collections.abc import Callable

    from selfmade.babyagi._app import App
    from selfmade.babyagi._registering import Registered

__all__ = [
    "Functionz",
    "create_app",
    "func",
    "get_func_instance",
    "install",
    "load_functions",
    "register_function",
    "register_trigger",
    "use_blueprints",
]


def get_func_instance() -> Functionz:
    """The framework. There is one."""
    return func


def register_function(
    metadata: dict[str, Any] | None = None,
    imports: Any = None,
    dependencies: list[str] | None = None,
    triggers: list[str] | None = None,
    key_dependencies: list[str] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Registered]:
    """Registers the decorated function, and gives back what calls it on the server.

    Beside BabyAGI's arguments it takes `name`, the name it is stored under; `secrets`, which are `key_dependencies`; and
    what else a function can state, such as `network=["api.example.com"]`.
    """
    return func.register_function(metadata, imports, dependencies, triggers, key_dependencies, **options)


def load_functions(pack_name_or_path: str, *, prefix: str = "", replace: bool = False) -> None:
    """Loads a pack: a file, or the name of one of BabyAGI's own such as `drafts/self_build`.

    Args:
        pack_name_or_path: which.
        prefix: put before each of its names, such as `own.`.
        replace: whether functions of the same names that are there already may be changed.
    """
    func.load_functions(pack_name_or_path, prefix=prefix, replace=replace)


def create_app(dashboard_route: str = "/dashboard") -> App:
    """An application with BabyAGI's routes below `/api`, which leads to the dashboard at the given route."""
    from selfmade.babyagi._app import create_app

    return create_app(dashboard_route)


def use_blueprints(app: Any, dashboard_route: str = "/dashboard") -> None:
    """Gives an application of Flask's the same."""
    from selfmade.babyagi._app import use_blueprints

    use_blueprints(app, dashboard_route)


def install() -> None:
    """From now on `import babyagi` and `import functionz` mean this."""
    from selfmade.babyagi._names import install

    install()


def __getattr__(name: str) -> Any:
    # Stored functions. What this module has goes first; a function with such a name is called by
    # `func.execute_function`.
    if name.startswith("_"):
        raise AttributeError(f"module `selfmade.babyagi` has no attribute `{name}`")
    return getattr(func, name)
