"""The framework under the name by which packs import it."""

from selfmade.babyagi._functionz import Functionz, func

__all__ = ["Functionz", "func"]
