# must: returned "contained"
def f(outside):
    """A queue of calls that no filter would see."""
    import ctypes

    parameters = (ctypes.c_uint32 * 30)()
    return "set up" if ctypes.CDLL(None).syscall(425, 8, parameters) >= 0 else "contained"
