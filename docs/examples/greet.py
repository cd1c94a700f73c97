def greet(name: str, *, excited: bool = False) -> str:
    """Greet somebody by name.

    Args:
        name: Whom to greet.
        excited: Whether to raise the voice.
    """
    return f"Hello, {name}{'!' if excited else '.'}"
