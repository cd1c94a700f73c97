# must: returned [0, 1, 2, 4]
def f(outside):
    """Null, the two outputs and the cell's own socket; nothing of the zygote or the server."""
    import os

    found = []
    for fd in range(4096):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found.append(fd)
    return found
