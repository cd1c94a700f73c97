# must: returned "contained"
def f(outside):
    import ctypes
    import os
    import platform

    number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        pid = libc.syscall(number, ctypes.c_ulong(flag | 17), 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        if pid > 0:
            return hex(flag)
    return "contained"
