# must: returned "contained"
def f(outside):
    """Unix sockets of the server, one with a path and one with an abstract name."""
    import socket

    for address in (outside["socket"], "\0" + outside["abstract"]):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            try:
                socket.socket(socket.AF_UNIX, kind).connect(address)
            except OSError:
                continue
            return address
    return "contained"
