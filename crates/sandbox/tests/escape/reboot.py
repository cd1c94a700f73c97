# must: crashed signal 31
def f(outside):
    """Inside a pid namespace this would only end the cell, and even that is not its to decide."""
    import ctypes

    ctypes.CDLL(None).reboot(0x1234567)
