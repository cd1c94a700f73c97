# must: returned "contained"
def f(outside):
    """Holding the kernel up in the middle of a copy."""
    import ctypes
    import platform

    number = {"x86_64": 323, "aarch64": 282}[platform.machine()]
    libc = ctypes.CDLL(None)
    for flags in (0, 1, 0o2000000 | 1):
        if libc.syscall(number, flags) >= 0:
            return flags
    return "contained"
