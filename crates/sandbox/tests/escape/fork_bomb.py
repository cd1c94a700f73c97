# must: returned "contained"
# limits: processes=16 wall_ms=15000
def f(outside):
    import os
    import time

    started = 0
    while True:
        try:
            pid = os.fork()
        except BlockingIOError:
            return "contained" if started < 16 else started
        if pid == 0:
            time.sleep(60)
        started += 1
