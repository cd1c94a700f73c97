"""The layers a cell puts around itself, innermost last. System calls go through ctypes: the standard library has few of them.

Everything that can be prepared is prepared by stage 1 or the zygote; what is left here is paid for each cell.
"""

import base64
import ctypes
import os
import resource

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_PDEATHSIG = 1
_SECCOMP_SET_MODE_FILTER = 1
_CAPABILITY_VERSION_3 = 0x20080522

LANDLOCK_FD = 3

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags):
    check(_libc.unshare(flags), "unshare")


def setns(fd, flags):
    check(_libc.setns(fd, flags), "setns")


class Confinement:
    """What `enter` needs, built once in the zygote so that a fork only uses it."""

    def __init__(self, boot):
        self._layers = boot["layers"]
        self._place = boot["place"]
        self._numbers = {name: ctypes.c_long(number) for name, number in boot["numbers"].items()}
        self._rlimits = [(getattr(resource, name), (value, value)) for name, value in boot["rlimits"].items()]
        self._tmpfs = boot["tmpfs"].encode()
        instructions = base64.b64decode(boot["inner_filter"])
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
        check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
        if self._layers["landlock"]:
            check(_libc.syscall(self._numbers["landlock_restrict_self"], LANDLOCK_FD, 0), "landlock")
            os.close(LANDLOCK_FD)
            watch.lap("no_new_privs and landlock")
        check(_libc.syscall(self._numbers["capset"], self._cap_header, self._cap_data), "capset")
        watch.lap("capabilities")
        if self._layers["seccomp"]:
            call = self._numbers["seccomp"]
            check(_libc.syscall(call, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(self._filter)), "seccomp")
            watch.lap("seccomp")

    def _own_files(self, watch):
        unshare(_CLONE_NEWNS)
        watch.lap("mount namespace")
        place = self._place.encode()
        flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        check(_libc.mount(b"tmpfs", place, b"tmpfs", flags, self._tmpfs), "mount tmpfs")
        for name in ("home", "tmp", "shm"):
            os.mkdir(f"{self._place}/{name}", 0o700)
        os.chdir(f"{self._place}/home")
        watch.lap("tmpfs")


def die_with_parent():
    check(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "pdeathsig")
