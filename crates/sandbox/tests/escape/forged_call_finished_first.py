# must: broke_protocol
def f(outside):
    import os
    import time

    for body in (b'{"calls":{"begun":[],"finished":[[1,5,null,null]]}}', b'{"calls":{"begun":[[1,0,0,0,{}]],"finished":[]}}'):
        os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
