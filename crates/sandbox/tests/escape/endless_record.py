# must: timed_out Wall
# limits: wall_ms=1500
def f(outside):
    """Calls that never happened, each with a megabyte of arguments: after some of them only that they were made is kept."""
    import os

    position = 0
    while True:
        position += 1
        known = b'[[0,["x"]]]' if position == 1 else b"[]"
        body = b'{"calls":{"begun":[[%d,0,0,0,["%s"]]],"finished":[],"parameters":%s}}' % (position, b"x" * (1 << 20), known)
        body = len(body).to_bytes(4, "big") + body
        while body:
            body = body[os.write(4, body) :]
