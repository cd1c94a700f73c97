# must: crashed signal 31
# must: crashed signal 11
def f(outside):
    """Machine code that enters the kernel as 32-bit programs do; where the kernel has no such door it crashes."""
    import ctypes
    import mmap
    import platform

    codes = {"x86_64": b"\xb8\x14\x00\x00\x00\xcd\x80\xc3", "aarch64": b"\x00\x00\x00\x00"}
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(codes[platform.machine()])
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
