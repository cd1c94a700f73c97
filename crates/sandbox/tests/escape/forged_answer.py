# must: broke_protocol
def f(outside):
    """Answers go the other way."""
    import os
    import time

    body = b'{"answer":{"number":1,"value":"yours"}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    time.sleep(60)
