# must: returned "contained"
def f(outside):
    import ctypes
    import platform

    libc = ctypes.CDLL(None, use_errno=True)
    bpf, perf = {"x86_64": (321, 298), "aarch64": (280, 241)}[platform.machine()]
    array = (ctypes.c_uint32 * 16)(2, 4, 4, 1)
    if libc.syscall(bpf, 0, array, 64) >= 0:
        return "bpf"
    attributes = (ctypes.c_uint32 * 28)(1, 112, 1)
    return "perf" if libc.syscall(perf, attributes, 0, -1, -1, 0) >= 0 else "contained"
