# must: returned "contained"
def f(outside):
    """Protocols beside TCP and UDP, whose modules the kernel would load for whoever asks."""
    import socket

    found = []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RDM, 6, 10):
            for protocol in (1, 2, 4, 33, 41, 47, 50, 58, 112, 115, 132, 136, 255, 262):
                if family == socket.AF_UNIX and protocol == 1:
                    continue
                try:
                    socket.socket(family, kind, protocol).close()
                except OSError:
                    continue
                found.append([int(family), int(kind), protocol])
    return found or "contained"
