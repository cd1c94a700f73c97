# must: returned "contained"
def f(outside):
    """Descriptors attached to frames that are in order: the server takes none of them."""
    import os
    import socket

    channel = socket.socket(fileno=os.dup(4))
    body = b'{"calls":{"begun":[],"finished":[],"parameters":[]}}'
    pipes = [fd for _ in range(5) for fd in os.pipe()]
    for _ in range(20):
        socket.send_fds(channel, [len(body).to_bytes(4, "big") + body], [4, *pipes])
    return "contained"
