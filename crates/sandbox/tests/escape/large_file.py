# must: returned "contained"
def f(outside):
    """Large without being written: holes, reservations and attributes."""
    import os

    fd = os.open("file", os.O_RDWR | os.O_CREAT)
    for attempt in (lambda: os.truncate(fd, 1 << 40), lambda: os.posix_fallocate(fd, 0, 1 << 30), lambda: os.pwrite(fd, b"x", 1 << 35)):
        try:
            attempt()
        except OSError:
            continue
        return os.fstat(fd).st_size
    stored = 0
    try:
        for n in range(2000):
            os.setxattr("file", f"user.a{n}", bytes(60_000))
            stored += 60_000
    except OSError:
        pass
    return "contained" if stored <= 8 << 20 else stored
