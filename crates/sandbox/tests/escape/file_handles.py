# must: returned "contained"
def f(outside):
    """A file by its number on the disk, past every folder."""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    handle = (ctypes.c_uint32 * 34)(128)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, b"/usr/lib", handle, ctypes.byref(mount), 0) == 0:
        return "named"
    handle[0], handle[1], handle[2] = 8, 1, 2
    root = os.open("/usr/lib", os.O_RDONLY)
    return "opened" if libc.open_by_handle_at(root, handle, os.O_RDONLY) >= 0 else "contained"
