# must: crashed signal 31
def f(outside):
    import ctypes
    import platform

    number = {"x86_64": 246, "aarch64": 104}[platform.machine()]
    ctypes.CDLL(None).syscall(number, 0, 0, 0, 0)
