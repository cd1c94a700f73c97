"""BabyAGI's package `functionz`, as far as others import it."""

from selfmade.babyagi._functionz import Functionz, func

__all__ = ["Functionz", "func"]
