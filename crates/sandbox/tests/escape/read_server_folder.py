# must: returned "contained"
def f(outside):
    """The database, the key and the socket of the server, by every kind of path."""
    import os

    found = []
    root = os.open("/", os.O_PATH)
    for path in [*outside["files"], outside["socket"], outside["program"]]:
        for name in (path, "/." + path, "//" + path, "/private/cell/home/../../.." + path):
            if os.path.lexists(name):
                found.append(name)
        for at in (path.lstrip("/"), "../../.." + path):
            try:
                os.open(at, os.O_PATH, dir_fd=root)
                found.append(at)
            except FileNotFoundError:
                pass
    return found or "contained"
