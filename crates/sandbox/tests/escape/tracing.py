# must: returned "contained"
def f(outside):
    """Neither others nor its own children can be traced, read or written."""
    import ctypes
    import os
    import signal

    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    child = os.fork()
    if child == 0:
        signal.pause()
    buffer = ctypes.create_string_buffer(16)
    own = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)
    attach, seize, trace_me = 16, 0x4206, 0
    for pid in (child, 0, 1, 2, outside["pid"], outside["neighbour"]["pid"]):
        if libc.ptrace(attach, pid, None, None) == 0 or libc.ptrace(seize, pid, None, None) == 0:
            return ["traced", pid]
        if libc.process_vm_readv(pid, own, 1, own, 1, 0) >= 0 or libc.process_vm_writev(pid, own, 1, own, 1, 0) >= 0:
            return ["read", pid]
    return "traced itself" if libc.ptrace(trace_me, 0, None, None) == 0 else "contained"
