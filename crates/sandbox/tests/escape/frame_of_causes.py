# must: broke_protocol
def f(outside):
    """An exception caused by an exception caused by an exception, and so on."""
    import os
    import time

    one = b'{"type":"X","message":"","traceback":"","cause":'
    body = b'{"end":{"dropped_calls":0,"reusable":false,"peak_bytes":0,"children_cpu_us":0,"raised":'
    body += one * 50_000 + b"null" + b"}" * 50_002
    body = len(body).to_bytes(4, "big") + body
    while body:
        body = body[os.write(4, body) :]
    time.sleep(60)
