def words(text: str) -> list[str]:
    """Split a text into its words."""
    return text.split()
