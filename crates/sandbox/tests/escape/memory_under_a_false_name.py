# must: out_of_memory
# limits: memory_mb=64 wall_ms=8000
def f(outside):
    """A name of a process that looks like a line of what the kernel tells about it."""
    import ctypes
    import mmap
    import threading

    ctypes.CDLL(None).prctl(15, b"x\nRssShmem: 0 k", 0, 0, 0)
    kept = []
    while len(kept) < 64:
        shared = mmap.mmap(-1, 4 << 20)
        shared.write(bytes(4 << 20))
        kept.append(shared)
    threading.Event().wait()
