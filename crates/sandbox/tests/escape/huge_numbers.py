# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"calls":{"begun":[[18446744073709551616,0,0,1e400,{}]],"finished":[]}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
