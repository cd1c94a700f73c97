# must: returned "contained"
def f(outside):
    """Every call fails, with "not permitted" or as if it did not exist."""
    import ctypes
    import errno
    import platform

    if platform.machine() != "x86_64":
        return "contained"
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321, "perf_event_open": 298,
        "userfaultfd": 323, "io_uring_setup": 425, "keyctl": 250, "add_key": 248, "request_key": 249, "mount": 165,
        "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "open_by_handle_at": 304,
        "name_to_handle_at": 303, "swapon": 167, "settimeofday": 164, "clock_settime": 227, "sethostname": 170,
        "move_mount": 429, "open_tree": 428, "fsopen": 430, "mount_setattr": 442, "memfd_create": 319, "shmget": 29,
        "msgget": 68, "semget": 64, "mq_open": 240, "pidfd_getfd": 438, "kcmp": 312, "clone3": 435, "capset": 126,
        "landlock_create_ruleset": 444, "seccomp": 317, "personality": 135, "syslog": 103, "quotactl": 179,
        "vmsplice": 278, "move_pages": 279, "fanotify_init": 300, "iopl": 172, "acct": 163, "modify_ldt": 154,
    }
    allowed = []
    for name, number in numbers.items():
        result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
        if result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            allowed.append([name, result, ctypes.get_errno()])
    return allowed or "contained"
