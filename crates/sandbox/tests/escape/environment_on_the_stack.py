# must: returned "contained"
def f(outside):
    """Where the kernel left the variables this process was started with, and whatever else lies there."""
    import ctypes

    variables = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    addresses = ctypes.cast(variables, ctypes.POINTER(ctypes.c_void_p))
    first, last, n = addresses[0], addresses[0], 0
    while addresses[n]:
        first, last, n = min(first, addresses[n]), max(last, addresses[n]), n + 1
    # The variables end in the last page of the stack; a page is there as a whole.
    seen = ctypes.string_at(first, (last | 4095) + 1 - first)
    return seen.decode("latin-1") if outside["variable"].encode() in seen else "contained"
