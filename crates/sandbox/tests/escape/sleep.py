# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    import time

    time.sleep(3600)
