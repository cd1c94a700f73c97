# must: broke_protocol
# limits: wall_ms=5000
def f(outside):
    """Questions without end whose answers pile up, because nobody reads them. Never many at once."""
    import fcntl
    import os
    import time

    body = b'{"verb":{"number":1,"lane":"main","verb":"echo","positional":["%s"],"named":{}}}' % (b"x" * 4000)
    body = (len(body).to_bytes(4, "big") + body) * 5
    bytes_not_taken_yet = 0x5411
    while True:
        os.write(4, body)
        time.sleep(0.005)
        while any(fcntl.ioctl(4, bytes_not_taken_yet, bytes(4))):
            time.sleep(0.001)
