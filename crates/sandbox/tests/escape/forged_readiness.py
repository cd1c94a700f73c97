# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"unready":"believe me"}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
