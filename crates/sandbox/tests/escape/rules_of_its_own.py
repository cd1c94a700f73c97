# must: returned "contained"
def f(outside):
    """A filter that allows everything, a bit that keeps capabilities, a parent that may trace: none takes anything back."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    allow_all = (ctypes.c_uint16 * 4)(0x06, 0, 0, 0x7FFF)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    set_seccomp, set_securebits, ambient, set_mm, keep_caps = 22, 28, 47, 35, 8
    libc.prctl(set_seccomp, 2, ctypes.byref(Program(1, ctypes.addressof(allow_all))), 0, 0)
    attempts = {
        "unshare": lambda: libc.unshare(0x10000000),
        "securebits": lambda: libc.prctl(set_securebits, 0x2F, 0, 0, 0),
        "ambient": lambda: libc.prctl(ambient, 2, 21, 0, 0),
        "mm": lambda: libc.prctl(set_mm, 6, 0x10000, 0, 0),
    }
    libc.prctl(keep_caps, 1, 0, 0, 0)
    return [name for name, attempt in attempts.items() if attempt() == 0] or "contained"
