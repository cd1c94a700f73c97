# must: returned "contained"
# limits: memory_mb=64
def f(outside):
    """Writable memory is limited when it is asked for, not when it is used."""
    import mmap

    for size in (1 << 46, 1 << 40, 1 << 33, 1 << 29):
        try:
            mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, OverflowError):
            continue
        return size
    return "contained"
