# must: returned "contained"
def f(outside):
    import ctypes
    import socket
    import time

    libc = ctypes.CDLL(None, use_errno=True)
    now = (ctypes.c_long * 2)(int(time.time()) + 3600, 0)
    adjust = (ctypes.c_long * 32)(2)
    attempts = {
        "clock": lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
        "time": lambda: libc.settimeofday(now, None) or None,
        "speed": lambda: None if libc.adjtimex(adjust) < 0 else 0,
        "name": lambda: socket.sethostname("evil"),
        "domain": lambda: libc.setdomainname(b"evil", 4) or None,
    }
    changed = []
    for name, attempt in attempts.items():
        before = ctypes.get_errno()
        try:
            result = attempt()
        except OSError:
            continue
        if result is None and name in ("clock", "name"):
            changed.append(name)
        elif result == 0:
            changed.append(name)
    return changed or "contained"
