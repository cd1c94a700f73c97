# must: crashed signal 11
def f(outside):
    import ctypes

    ctypes.CFUNCTYPE(None)(0xDEAD000)()
