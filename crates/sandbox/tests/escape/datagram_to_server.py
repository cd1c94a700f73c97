# must: returned "contained"
def f(outside):
    import socket

    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "255.255.255.255")):
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            if family == socket.AF_INET:
                sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            try:
                sender.sendto(b"hello", (host, outside["port"]))
            except OSError:
                continue
            return host
    return "contained"
