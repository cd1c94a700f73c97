# must: out_of_memory
# limits: memory_mb=64 wall_ms=8000
def f(outside):
    """Frames that are all in order, and so long to read that nobody has time to look at what else happens."""
    import mmap
    import os
    import threading

    body = b'{"where":"here"' + b" " * (256 << 10) + b"}"
    frame = len(body).to_bytes(4, "big") + body

    if os.fork() == 0:
        while True:
            os.write(4, frame)
    kept = []
    while len(kept) < 64:
        shared = mmap.mmap(-1, 4 << 20)
        shared.write(bytes(4 << 20))
        kept.append(shared)
    threading.Event().wait()
