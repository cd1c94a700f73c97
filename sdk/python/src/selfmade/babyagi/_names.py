"""Makes BabyAGI's module names mean this package."""

from __future__ import annotations

import sys
from importlib import import_module

# Each name by which BabyAGI's packs and examples import the framework. All of them lead to one object.
_NAMES = {
    "babyagi": "selfmade.babyagi",
    "babyagi.functionz": "selfmade.babyagi.functionz",
    "babyagi.functionz.core": "selfmade.babyagi.functionz.core",
    "babyagi.functionz.core.framework": "selfmade.babyagi.functionz.core.framework",
    "functionz": "selfmade.babyagi.functionz",
    "functionz.core": "selfmade.babyagi.functionz.core",
    "functionz.core.framework": "selfmade.babyagi.functionz.core.framework",
    "PythonFunc": "selfmade.babyagi.functionz",
    "PythonFunc.core": "selfmade.babyagi.functionz.core",
    "PythonFunc.core.framework": "selfmade.babyagi.functionz.core.framework",
}


def install() -> None:
    """Does it. A real `babyagi` that was imported before stays what it is for whoever has it."""
    for name, ours in _NAMES.items():
        sys.modules[name] = import_module(ours)
