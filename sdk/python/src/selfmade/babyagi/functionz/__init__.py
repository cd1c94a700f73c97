"""BabyAGI's package `functionz`, as far as others import it."""

from selfmade.babyagi import (
    Functionz,
    create_app,
    func,
    get_func_instance,
    load_functions,
    register_function,
    register_trigger,
    use_blueprints,
)

__all__ = [
    "Functionz",
    "create_app",
    "func",
    "get_func_instance",
    "load_functions",
    "register_function",
    "register_trigger",
    "use_blueprints",
]
