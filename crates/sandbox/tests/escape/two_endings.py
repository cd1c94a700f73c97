# must: returned "first"
def f(outside):
    """The first is believed, which is no more than a function can return; the second comes too late."""
    import os
    import time

    frames = b""
    for value in (b'"first"', b'"second"'):
        body = b'{"end":{"returned":%s,"dropped_calls":0,"reusable":true,"peak_bytes":0,"children_cpu_us":0}}' % value
        frames += len(body).to_bytes(4, "big") + body
    os.write(4, frames)
    time.sleep(60)
