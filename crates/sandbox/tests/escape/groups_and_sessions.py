# must: returned "contained"
def f(outside):
    """Signals to groups reach the cell itself, which does not mind them, and nobody else."""
    import os
    import signal

    attempts = [lambda: os.setpgid(0, outside["pid"]), lambda: os.getpgid(outside["pid"]), os.setsid]
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
        os.killpg(0, number)
        attempts += [lambda group=group: os.kill(-group, number) for group in (1, outside["pid"], outside["neighbour"]["pid"])]
    for n, attempt in enumerate(attempts):
        try:
            attempt()
        except OSError:
            continue
        return n
    return "contained"
