# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"yield":' + b'{"a":[' * 100_000 + b"]}" * 100_000 + b"}"
    body = len(body).to_bytes(4, "big") + body
    while body:
        body = body[os.write(4, body) :]
    time.sleep(60)
