# must: timed_out Cpu
# limits: cpu_ms=600 wall_ms=15000
def f(outside):
    """The kernel adds up the time of children only for a parent that waits for them."""
    import os
    import signal
    import time

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ended, kept = os.pipe()
        if os.fork() == 0:
            end = time.process_time() + 0.2
            while time.process_time() < end:
                pass
            os._exit(0)
        os.close(kept)
        os.read(ended, 1)
        os.close(ended)
