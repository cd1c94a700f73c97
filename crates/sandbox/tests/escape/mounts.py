# must: returned "contained"
def f(outside):
    """Files over files, the root writable, the root gone, another root."""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    remount, bind, read_only, propagate = 32, 4096, 1, 1 << 18
    here = os.getcwd().encode()
    attempts = {
        "tmpfs": lambda: libc.mount(b"tmpfs", here, b"tmpfs", 0, b"size=1g"),
        "proc": lambda: libc.mount(b"proc", here, b"proc", 0, None),
        "bind": lambda: libc.mount(b"/usr/lib", here, None, bind, None),
        "writable": lambda: libc.mount(None, b"/", None, remount | bind, None),
        "larger": lambda: libc.mount(None, b"/private/cell", None, remount, b"size=10g"),
        "shared": lambda: libc.mount(None, b"/", None, propagate, None),
        "unmount": lambda: libc.umount2(b"/private/cell", 2),
        "unmount root": lambda: libc.umount2(b"/", 2),
        "chroot": lambda: libc.chroot(here),
        "pivot": lambda: libc.syscall(155, here, here),
    }
    return [name for name, attempt in attempts.items() if attempt() == 0] or "contained"
