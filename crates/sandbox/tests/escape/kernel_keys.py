# must: returned "contained"
def f(outside):
    """Keyrings outlive processes and are no files."""
    import ctypes
    import platform

    libc = ctypes.CDLL(None, use_errno=True)
    add, request, control = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}[platform.machine()]
    user, session, value = ctypes.c_int(-4), ctypes.c_int(-3), b"value"
    attempts = [
        lambda: libc.syscall(add, b"user", b"mine", value, len(value), user),
        lambda: libc.syscall(request, b"user", b"mine", None, session),
        lambda: libc.syscall(control, 0, user, 1),
        lambda: libc.syscall(control, 1, None),
    ]
    return [n for n, attempt in enumerate(attempts) if attempt() >= 0] or "contained"
