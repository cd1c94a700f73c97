"""The layers a cell puts around itself, innermost last. System calls go through ctypes: the standard library has few of them.

Everything that can be prepared is prepared by stage 1 or the zygote, and what can be inherited, as `no_new_privs` is, is
inherited; what is left here is paid for each cell.
"""

import binascii
import ctypes
import os
import resource

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
# No set-user-id programs, no devices, nothing executed: MS_NOSUID, MS_NODEV, MS_NOEXEC.
_PLAIN_FILES = 2 | 4 | 8
_PR_SET_PDEATHSIG = 1
_SECCOMP_SET_MODE_FILTER = 1
_CAPABILITY_VERSION_3 = 0x20080522

LANDLOCK_FD = 3

_libc = ctypes.CDLL(None, use_errno=True)
# Found here once: looking for a name goes through the tables of all loaded libraries.
_ioctl, _mount, _prctl = _libc.ioctl, _libc.mount, _libc.prctl
_setns, _syscall, _unshare = _libc.setns, _libc.syscall, _libc.unshare
_syscall.restype = ctypes.c_long


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags):
    check(_unshare(flags), "unshare")


def setns(fd, flags):
    check(_setns(fd, flags), "setns")


def ioctl(fd, request, argument):
    return check(_ioctl(fd, ctypes.c_ulong(request), argument), "ioctl")


def trim_memory():
    """Gives back what is free in between, where the C library can."""
    trim = getattr(_libc, "malloc_trim", None)
    if trim is not None:
        trim(0)


class Confinement:
    """What `enter` needs, built once in the zygote so that a fork only uses it."""

    def __init__(self, boot):
        self._layers = boot["layers"]
        self._place = boot["place"].encode()
        # What is mounted for each cell, in its own namespace.
        self.own_folders = [f"{boot['place']}/{name}" for name in ("home", "tmp", "shm")] if self._layers["namespaces"] else []
        self._numbers = {name: ctypes.c_long(number) for name, number in boot["numbers"].items()}
        self._rlimits = [(getattr(resource, name), (value, value)) for name, value in boot["rlimits"].items()]
        self._tmpfs = boot["tmpfs"].encode()
        instructions = binascii.a2b_base64(boot["inner_filter"])
        self._instructions = ctypes.create_string_buffer(instructions, len(instructions))
        self._filter = _Program(len(instructions) // 8, ctypes.addressof(self._instructions))
        self._cap_header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
        self._cap_data = (ctypes.c_uint32 * 6)()

    def enter(self, watch):
        if self._layers["namespaces"]:
            self._own_files(watch)
            # From here on the cell has no power over the namespaces it lives in: they belong to the outer user namespace.
            unshare(_CLONE_NEWUSER)
            watch.lap("user namespace")
        for number, pair in self._rlimits:
            resource.setrlimit(number, pair)
        watch.lap("rlimits")
        if self._layers["landlock"]:
            check(_syscall(self._numbers["landlock_restrict_self"], LANDLOCK_FD, 0), "landlock")
            os.close(LANDLOCK_FD)
            watch.lap("landlock")
        check(_syscall(self._numbers["capset"], self._cap_header, self._cap_data), "capset")
        watch.lap("capabilities")
        if self._layers["seccomp"]:
            call = self._numbers["seccomp"]
            check(_syscall(call, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(self._filter)), "seccomp")
            watch.lap("seccomp")

    def _own_files(self, watch):
        unshare(_CLONE_NEWNS)
        watch.lap("mount namespace")
        check(_mount(b"tmpfs", self._place, b"tmpfs", _PLAIN_FILES, self._tmpfs), "mount tmpfs")
        for folder in self.own_folders:
            os.mkdir(folder, 0o700)
        os.chdir(self.own_folders[0])
        watch.lap("tmpfs")


def die_with_parent():
    """Where there is no namespace whose end is the end of all in it."""
    check(_prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "pdeathsig")
