def longest(measured: list[dict]) -> str:
    """Name the longest of measured words."""
    return max(measured, key=lambda one: one["length"])["word"]
