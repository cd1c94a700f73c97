# must: returned "contained"
def f(outside):
    import ctypes
    import mmap

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    page = ctypes.create_string_buffer(1 << 20)
    if libc.mlock(page, 1 << 20) == 0 or libc.mlockall(3) == 0:
        return "locked"
    private, locked, huge = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0x2000, 0x40000
    failed = ctypes.c_void_p(-1).value
    for flags in (private | locked, private | huge):
        if libc.mmap(None, ctypes.c_size_t(256 << 20), 3, flags, -1, ctypes.c_long(0)) != failed:
            return flags
    return "contained"
