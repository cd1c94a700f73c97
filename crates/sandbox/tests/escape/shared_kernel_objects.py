# must: returned "contained"
def f(outside):
    """Shared memory, semaphores and queues outlive those who made them."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    private, create = 0, 0o1000 | 0o666
    attributes = (ctypes.c_long * 8)(0, 4, 128)
    attempts = {
        "shmget": lambda: libc.shmget(private, 4096, create),
        "semget": lambda: libc.semget(private, 1, create),
        "msgget": lambda: libc.msgget(private, create),
        "mq_open": lambda: libc.syscall(240, b"queue", 0o102, 0o666, attributes),
        "memfd_create": lambda: libc.memfd_create(b"x", 0),
    }
    return [name for name, attempt in attempts.items() if attempt() >= 0] or "contained"
