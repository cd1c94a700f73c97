# must: returned "contained"
def f(outside):
    import ctypes
    import os
    import platform

    attempts = [
        lambda: os.nice(-1),
        lambda: os.setpriority(os.PRIO_USER, 0, -5),
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(99)),
    ]
    for attempt in attempts:
        try:
            attempt()
        except OSError:
            continue
        return "faster"
    libc = ctypes.CDLL(None, use_errno=True)
    ioprio_set, sched_setattr = {"x86_64": (251, 314), "aarch64": (30, 274)}[platform.machine()]
    if libc.syscall(ioprio_set, 1, 0, 1 << 13) == 0:
        return "first at the disk"
    deadline = (ctypes.c_uint64 * 6)(48 | 6 << 32, 0, 0, 10_000_000, 20_000_000, 20_000_000)
    return "deadline" if libc.syscall(sched_setattr, 0, deadline, 0) == 0 else "contained"
