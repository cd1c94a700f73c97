# must: returned "contained"
def f(outside):
    """Abstract names belong to a network namespace, and no two cells share one."""
    import socket

    name = "\0" + outside["neighbour"]["abstract"]
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as caller:
            try:
                caller.connect(name)
            except OSError:
                continue
            return "connected"
    # The name is free here, so whoever takes it takes it from nobody.
    with socket.socket(socket.AF_UNIX) as squatter:
        squatter.bind(name)
    return "contained"
