# must: crashed signal 11
def f(outside):
    import ctypes

    ctypes.string_at(0)
