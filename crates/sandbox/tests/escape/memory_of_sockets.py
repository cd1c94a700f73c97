# must: out_of_memory
# limits: memory_mb=64 processes=32 wall_ms=10000
def f(outside):
    """What was sent and not read lies in the kernel, which counts it for nobody."""
    import os
    import socket
    import threading

    for _ in range(16):
        if os.fork() == 0:
            break
    kept = []
    try:
        while True:
            pair = socket.socketpair()
            for one in pair:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                one.setblocking(False)
            kept.extend(pair)
            for one in pair:
                try:
                    while True:
                        one.send(bytes(64 << 10))
                except BlockingIOError:
                    pass
    except OSError:
        threading.Event().wait()
