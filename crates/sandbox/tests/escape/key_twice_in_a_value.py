# must: broke_protocol
def f(outside):
    """Who reads the first and who reads the last would not see the same value."""
    import os
    import time

    body = b'{"yield":{"amount":1,"to":"me","amount":1000000}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
