# must: returned "contained"
def f(outside):
    import fcntl
    import os
    import stat

    for number in (os.makedev(1, 1), os.makedev(1, 5), os.makedev(8, 0), os.makedev(10, 229), os.makedev(5, 0)):
        for kind in (stat.S_IFCHR, stat.S_IFBLK):
            try:
                os.mknod("device", kind | 0o666, number)
            except OSError:
                continue
            return number
    known = {"null", "zero", "random", "urandom", "shm"}
    if set(os.listdir("/dev")) != known:
        return os.listdir("/dev")
    for name in ("null", "zero", "urandom"):
        try:
            # The size of a terminal, of a disk, more chance for the kernel, and a terminal's input.
            for request in (0x5413, 0x80081272, 0x40085203, 0x5412):
                fcntl.ioctl(os.open(f"/dev/{name}", os.O_RDWR), request, bytes(8))
                return [name, request]
        except OSError:
            continue
    return "contained"
