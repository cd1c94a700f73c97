# must: returned "contained"
# limits: output_bytes=65536
def f(outside):
    """What is over the limit is read and thrown away; the test counts what was kept."""
    import os

    for _ in range(400):
        for fd in (1, 2):
            os.write(fd, b"x" * 65536)
    return "contained"
