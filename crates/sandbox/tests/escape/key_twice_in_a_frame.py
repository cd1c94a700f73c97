# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"end":{"returned":1,"returned":2,"dropped_calls":0,"reusable":true,"peak_bytes":0,"children_cpu_us":0}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
