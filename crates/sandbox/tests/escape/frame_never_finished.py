# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    import os
    import time

    os.write(4, (8 << 20).to_bytes(4, "big") + b'{"end":{"returned":"')
    while True:
        os.write(4, b"x")
        time.sleep(0.001)
