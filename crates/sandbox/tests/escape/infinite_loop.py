# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    while True:
        pass
