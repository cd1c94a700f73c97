# must: crashed signal 31
def f(outside):
    """The x32 door: the same calls under other numbers."""
    import ctypes
    import os
    import platform
    import signal

    if platform.machine() != "x86_64":
        ctypes.CDLL(None).syscall(105, 0, 0, 0)
    ctypes.CDLL(None).syscall(0x40000000 | 39)
