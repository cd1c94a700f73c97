# must: broke_protocol
# must: returned "contained"
def f(outside):
    """Urgent bytes beside the stream, of which the kernel leaves some in it; they are no part of any frame."""
    import os
    import socket

    channel = socket.socket(fileno=os.dup(4))
    body = b'{"where":"here"}'
    for _ in range(50):
        channel.send(len(body).to_bytes(4, "big") + body)
        try:
            channel.send(b"!", socket.MSG_OOB)
        except OSError:
            break
    return "contained"
