# must: returned "contained"
def f(outside):
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    own = os.pidfd_open(os.getpid())
    for flag in (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        if libc.unshare(flag) == 0 or libc.setns(own, flag) == 0:
            return hex(flag)
    return "contained"
