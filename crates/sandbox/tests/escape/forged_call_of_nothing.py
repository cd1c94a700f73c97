# must: broke_protocol
def f(outside):
    import os
    import time

    body = b'{"calls":{"begun":[[1,0,2,0,{}]],"finished":[]}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
