"""BabyAGI's core, as far as others import it."""
