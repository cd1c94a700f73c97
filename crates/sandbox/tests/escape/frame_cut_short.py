# must: crashed exit 3
def f(outside):
    import os

    os.write(4, (100).to_bytes(4, "big") + b'{"end":{"returned":')
    os._exit(3)
