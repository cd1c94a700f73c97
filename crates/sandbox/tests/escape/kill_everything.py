# must: returned "contained"
def f(outside):
    """All it can signal is what it started itself."""
    import os
    import signal

    for pid in (-1, outside["pid"], 2, os.getppid() or 99999):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
        return pid
    return "contained"
