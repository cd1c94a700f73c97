# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"yield":"\xc3\x28\xff\xfe"}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
