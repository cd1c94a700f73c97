# must: broke_protocol
def f(outside):
    import os

    os.write(4, (1 << 31).to_bytes(4, "big") + b"[" * 1000)
    while True:
        pass
