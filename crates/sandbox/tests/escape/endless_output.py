# must: timed_out Wall
# limits: output_bytes=65536 wall_ms=400
def f(outside):
    import os

    while True:
        os.write(1, b"x" * 65536)
