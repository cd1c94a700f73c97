"""What the kernel says of this process, in memory that is compared as it is.

The standard library tells the same, but makes an object of each field. That takes longer than asking, and after every run of a
warm cell all of it is asked.
"""

import _locale
import ctypes
import os
import struct

# Keeps the interpreter's lock, because none of these calls waits.
_libc = ctypes.PyDLL(None)
_getaffinity, _poll, _sigmask, _statfs = _libc.sched_getaffinity, _libc.poll, _libc.pthread_sigmask, _libc.statfs
_getrusage, _waitpid = _libc.getrusage, _libc.waitpid
_setlocale = _libc.setlocale
_setlocale.restype = ctypes.c_char_p
# Not every C library has them under these names.
_fstat, _stat = (getattr(_libc, name, None) for name in ("fstat", "stat"))

_SIG_BLOCK = 0
_AFFINITY_BYTES = 128
_process = ctypes.create_string_buffer(512)
_stdout, _stderr, _folder, _mask, _processors = (ctypes.byref(_process, place) for place in (0, 16, 32, 48, 56))
_usage = (ctypes.c_long * 64)()


def process():
    """Where output goes, the working folder, the mask of signals, the processors. Each is written over the end of the one before,
    so that of a file only device and number are left, which come first. Equal to nothing if the kernel does not tell."""
    failed = _fstat(1, _stdout) or _fstat(2, _stderr) or _stat(b".", _folder) or _sigmask(_SIG_BLOCK, None, _mask)
    if failed or _getaffinity(0, _AFFINITY_BYTES, _processors):
        return object()
    return _process.raw


def is_process_told():
    """Whether files are described here as `process` takes it."""
    if _fstat is None or _stat is None or type(told := process()) is not bytes:
        return False
    files = [(one.st_dev, one.st_ino) for one in (os.fstat(1), os.fstat(2), os.stat("."))]
    return told[:48] == b"".join(struct.pack("=QQ", *file) for file in files)


def locales():
    return _setlocale(_locale.LC_ALL, None)


def room(folder):
    """A function that tells how much is free on the file system of a folder, in bytes and in files."""
    told, path = ctypes.create_string_buffer(512), os.fsencode(folder)
    return lambda: object() if _statfs(path, told) else told.raw


def descriptors(numbers):
    """A function that tells which descriptors are closed."""
    asked = b"".join(struct.pack("=ihh", number, 0, 0) for number in numbers)
    told, count = ctypes.create_string_buffer(asked, len(asked)), len(asked) // 8
    return lambda: object() if _poll(told, count, 0) < 0 else told.raw


def closed(told):
    """The numbers of the closed ones, from what `descriptors` told."""
    return {number for number, _, event in struct.iter_unpack("=ihh", told) if event & 0x20}


def reap_children():
    """Whether one is left that has not ended."""
    while (child := _waitpid(-1, None, os.WNOHANG)) > 0:
        pass
    return child == 0


def peak_bytes():
    _getrusage(0, _usage)
    return _usage[4] << 10


def children_cpu_us():
    """Of those that were waited for."""
    _getrusage(-1, _usage)
    return (_usage[0] + _usage[2]) * 1_000_000 + _usage[1] + _usage[3]
