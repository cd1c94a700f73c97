# must: returned "contained"
def f(outside):
    import socket

    for family in range(1, 46):
        if family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
            continue
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind)
            except OSError:
                continue
            return [family, int(kind)]
    return "contained"
