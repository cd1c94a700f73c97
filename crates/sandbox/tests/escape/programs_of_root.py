# must: returned "contained"
def f(outside):
    """Programs that run as their owner do not, and nothing that is started gains anything."""
    import ctypes
    import os

    libc = ctypes.CDLL(None)
    get_no_new_privs, set_no_new_privs = 39, 38
    if libc.prctl(get_no_new_privs, 0, 0, 0, 0) != 1 or libc.prctl(set_no_new_privs, 0, 0, 0, 0) == 0:
        return "new privileges"
    for path in ("/", "/usr/lib", "/private/cell", "/dev/null", os.path.dirname(os.__file__)):
        if not os.statvfs(path).f_flag & os.ST_NOSUID:
            return path
    os.chmod(".", 0o6777)
    return "contained"
