# must: broke_protocol
def f(outside):
    import os
    import time

    os.write(4, bytes(4))
    time.sleep(60)
