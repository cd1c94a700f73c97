def measure(word: str) -> dict:
    """Say how long a word is."""
    return {"word": word, "length": len(word)}
