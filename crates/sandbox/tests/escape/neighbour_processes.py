# must: returned "contained"
def f(outside):
    """Another cell, the zygote and the server, by the numbers they have outside and by all small ones."""
    import os
    import resource
    import signal

    own = os.getpid()
    attempts = {
        "signal": lambda pid: os.kill(pid, signal.SIGKILL),
        "group": lambda pid: os.killpg(pid, signal.SIGKILL) if pid > 1 else os.getpgid(pid + 1),
        "pidfd": os.pidfd_open,
        "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE),
        "session": os.getsid,
        "affinity": lambda pid: os.sched_setaffinity(pid, {0}),
        "scheduler": os.sched_getscheduler,
        "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
    }
    for pid in [outside["pid"], outside["neighbour"]["pid"], *range(1, 400)]:
        for name, attempt in attempts.items():
            if pid == own:
                continue
            try:
                attempt(pid)
            except OSError:
                continue
            return [name, pid]
    return "contained"
