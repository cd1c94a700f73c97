# must: crashed signal 11
# must: crashed signal 6
def f(outside):
    """Python's own objects, overwritten."""
    import ctypes
    import gc

    for one in gc.get_objects()[:2000]:
        ctypes.memset(id(one), 0x41, 24)
    gc.collect()
