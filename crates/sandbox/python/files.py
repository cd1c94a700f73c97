"""What a run leaves in the cell's own folders and among its descriptors, as pairs like those of `_cell_process`."""

import _socket
import os
import stat

import _cell_kernel as kernel
from _cell_process import CannotPutBack

# A cell cannot have more: see `RLIMIT_NOFILE`.
_DESCRIPTORS, _AT_ONCE = 256, 32


class Descriptors:
    """Those that were opened. The kernel gives away the lowest numbers first; so the low ones are always looked at, and of the
    others some, in turn."""

    def __init__(self):
        low, others = range(_AT_ONCE), range(_AT_ONCE, _DESCRIPTORS, _AT_ONCE)
        self._tell = [kernel.descriptors([*low, *range(first, first + _AT_ONCE)]) for first in others]
        self._turn = 0
        self._known = []

    def take(self):
        self._known = [tell() for tell in self._tell]
        return self._known

    def glance(self):
        self._turn = (self._turn + 1) % len(self._tell)
        # Those that were shut down and stay must be looked at each time: another may have got the number.
        return True if self._tell[self._turn]() == self._known[self._turn] else object()

    def put_back(self, saved):
        self._known = saved
        for fd in kernel.closed(saved[self._turn]) - kernel.closed(self._tell[self._turn]()):
            _quiet(fd)


def _quiet(fd):
    """Closing one that an object holds would leave it with the next that gets the number. A connection can be ended without; what
    is only read from what all cells share does no harm."""
    kind = os.fstat(fd).st_mode
    if stat.S_ISSOCK(kind):
        connection = _socket.socket(fileno=fd)
        try:
            connection.shutdown(_socket.SHUT_RDWR)
        except OSError:
            # It is not connected.
            pass
        finally:
            connection.detach()
    elif not (stat.S_ISREG(kind) and _is_read_only(fd)):
        raise CannotPutBack("a file is left open")


def _is_read_only(fd):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY


class Files:
    """The cell's own files. The kernel counts them."""

    def __init__(self, folders):
        self._folders = folders
        self._room = kernel.room(folders[0])
        self._has_known = False

    def take(self):
        files = dict(self._walk())
        # Those can be changed without being counted.
        self._has_known |= bool(files)
        return self._room(), files

    def glance(self):
        return object() if self._has_known else self._room()

    def put_back(self, saved):
        room, files = saved
        if self._room() == room and not files:
            return
        found = list(self._walk(known=files))
        for path, told in reversed(found):
            if path not in files:
                remove = os.rmdir if stat.S_ISDIR(told[0]) else os.unlink
                remove(path)
        if dict(self._walk()) != files or self._room() != room:
            raise CannotPutBack("a file was changed, or is held open")

    def _walk(self, known=None):
        """What is in the folders, each folder before what is in it. One that is not known is made accessible first."""
        left = list(self._folders)
        while left:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    told = entry.stat(follow_symlinks=False)
                    is_folder = stat.S_ISDIR(told.st_mode)
                    yield entry.path, (told.st_mode, told.st_ino, 0 if is_folder else told.st_mtime_ns)
                    if is_folder:
                        if known is not None and entry.path not in known:
                            os.chmod(entry.path, 0o700)
                        left.append(entry.path)
