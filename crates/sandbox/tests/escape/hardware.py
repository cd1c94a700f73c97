# must: returned "contained"
def f(outside):
    """Ports, segments, swap and accounting, with arguments that would do."""
    import ctypes
    import platform

    libc = ctypes.CDLL(None, use_errno=True)
    attempts = {
        "swapon": lambda: libc.swapon(b"/private/cell/home/swap", 0),
        "swapoff": lambda: libc.swapoff(b"/private/cell/home/swap"),
        "acct": lambda: libc.acct(b"/private/cell/home/log"),
        "syslog": lambda: libc.klogctl(10, None, 0),
        "vhangup": libc.vhangup,
        "personality": lambda: libc.personality(0x0040000),
    }
    if platform.machine() == "x86_64":
        description = (ctypes.c_uint32 * 4)(0, 0, 0xFFFFF, 0x51)
        attempts["iopl"] = lambda: libc.iopl(3)
        attempts["ioperm"] = lambda: libc.ioperm(0x80, 1, 1)
        attempts["modify_ldt"] = lambda: libc.syscall(154, 1, description, 16)
    return [name for name, attempt in attempts.items() if attempt() >= 0] or "contained"
