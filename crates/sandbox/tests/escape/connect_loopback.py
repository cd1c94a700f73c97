# must: returned "contained"
def f(outside):
    import socket

    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0")):
        try:
            socket.socket(family).connect((host, outside["port"]))
        except OSError:
            continue
        return host
    return "contained"
