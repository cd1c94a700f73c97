# must: out_of_memory
# limits: memory_mb=64
def f(outside):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
