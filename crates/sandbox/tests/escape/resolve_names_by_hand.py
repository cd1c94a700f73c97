# must: returned "contained"
def f(outside):
    """A question to name servers, without the C library."""
    import socket

    question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
    for server in ("127.0.0.53", "127.0.0.11", "192.0.2.53", "169.254.169.253"):
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            try:
                with socket.socket(socket.AF_INET, kind) as asker:
                    asker.connect((server, 53))
                    asker.send(question)
            except OSError:
                continue
            return server
    return "contained"
