# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"yield":-1e999}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
