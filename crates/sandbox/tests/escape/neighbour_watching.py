# must: returned "contained"
def f(outside):
    """Both cells see the same files of the interpreter: which of them the other one opens is not to be known."""
    import ctypes
    import fcntl
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.path.dirname(os.__file__)
    for flags in (0, os.O_CLOEXEC):
        if libc.inotify_init1(flags) >= 0:
            return "inotify"
    if libc.fanotify_init(0, 0) >= 0:
        return "fanotify"
    try:
        fcntl.fcntl(os.open(folder, os.O_RDONLY), fcntl.F_NOTIFY, 1)
    except OSError:
        return "contained"
    return "dnotify"
