# must: timed_out Cpu
# limits: cpu_ms=600 wall_ms=15000
def f(outside):
    """Work that is done by processes whose parent, itself idle, waits for each of them."""
    import os
    import time

    if os.fork() == 0:
        while True:
            if os.fork() == 0:
                end = time.process_time() + 0.2
                while time.process_time() < end:
                    pass
                os._exit(0)
            os.wait()
    time.sleep(60)
