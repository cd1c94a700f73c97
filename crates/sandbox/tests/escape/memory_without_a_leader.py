# must: out_of_memory
# limits: memory_mb=64 wall_ms=8000
def f(outside):
    """The first thread ends, and with it what the kernel tells under the number of the process."""
    import ctypes
    import mmap
    import platform
    import threading

    def grow():
        kept = []
        while len(kept) < 64:
            shared = mmap.mmap(-1, 4 << 20)
            shared.write(bytes(4 << 20))
            kept.append(shared)
        threading.Event().wait()

    number = {"x86_64": 60, "aarch64": 93}[platform.machine()]
    threading.Thread(target=grow, daemon=True).start()
    ctypes.CDLL(None).syscall(number, 0)
