# must: returned "contained"
def f(outside):
    import ctypes
    import platform

    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    number = {"x86_64": 125, "aarch64": 90}[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, header, data) == 0
    return list(data) if any(data) else "contained"
