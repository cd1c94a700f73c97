# must: broke_protocol
def f(outside):
    """A lane with a name that nothing could be stored or shown under."""
    import os
    import time

    body = b'{"verb":{"number":1,"lane":"main/%s","verb":"echo","positional":[],"named":{}}}' % (b"9" * 100_000)
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
