# must: returned "contained"
def f(outside):
    import socket

    for family in range(2, 46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socketpair(family, kind)
            except OSError:
                continue
            return [family, int(kind)]
    return "contained"
