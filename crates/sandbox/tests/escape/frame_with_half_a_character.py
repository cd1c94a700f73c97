# must: broke_protocol
def f(outside):
    """A surrogate without its other half is no text."""
    import os
    import time

    body = rb'{"yield":"\ud83d"}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
