# must: out_of_memory
# limits: memory_mb=32 wall_ms=15000
def f(outside):
    """One page of zeros, mapped so often that the tables which say so fill the memory."""
    import ctypes
    import mmap
    import threading

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    size = 128 << 30
    at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
    populate_read, no_huge_pages, step = 22, 15, 64 << 20
    libc.madvise(at, size, no_huge_pages)
    for done in range(0, size, step):
        libc.madvise(at + done, step, populate_read)
    threading.Event().wait()
