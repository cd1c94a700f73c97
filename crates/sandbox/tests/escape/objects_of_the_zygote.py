# must: returned "contained"
def f(outside):
    """The fork has copies of the zygote's objects. What they stand for was closed before this code ran."""
    import gc
    import os
    import socket
    import sys

    reached = []
    for one in gc.get_objects():
        if isinstance(one, socket.socket) and one.fileno() not in (-1, 4):
            try:
                os.fstat(one.fileno())
                reached.append(one.fileno())
            except OSError:
                pass
    confine = sys.modules["_cell_confine"]
    for attempt in (lambda: confine.unshare(0x10000000), lambda: confine.setns(os.pidfd_open(1), 0x40000000)):
        try:
            attempt()
            reached.append("namespace")
        except OSError:
            pass
    return reached or "contained"
