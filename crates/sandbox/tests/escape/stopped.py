# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    """Processes that stand still do not notice that they are told to go."""
    import os
    import signal

    for _ in range(3):
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pause()
