# must: out_of_memory
# limits: memory_mb=96
def f(outside):
    import os
    import time

    for _ in range(12):
        if os.fork() == 0:
            kept = bytearray(20 << 20)
            time.sleep(60)
    time.sleep(60)
