"""What a run leaves in the cell's own folders and among its descriptors, as pairs like those of `_cell_process`."""

import _socket
import os
import select
import stat

from _cell_process import CannotPutBack

# A cell cannot have more: see `RLIMIT_NOFILE`.
_DESCRIPTORS, _AT_ONCE = 256, 32


class Descriptors:
    """Those that were opened. The kernel tells of many at once which are closed, and gives away the lowest numbers first; so
    the low ones are always looked at, and the others in turn."""

    def __init__(self):
        self._polls = [_poll_of(range(start, start + _AT_ONCE)) for start in range(0, _DESCRIPTORS, _AT_ONCE)]
        self._turn = 0

    def take(self):
        return [[told for told in poll.poll(0) if told[1] & select.POLLNVAL] for poll in self._polls]

    def put_back(self, saved):
        self._turn = self._turn % (len(self._polls) - 1) + 1
        for group in (0, self._turn):
            if self._polls[group].poll(0) != saved[group]:
                self._quiet(self._polls[group], saved[group])

    @staticmethod
    def _quiet(poll, closed_before):
        closed = {fd for fd, event in poll.poll(0) if event & select.POLLNVAL}
        for fd, _ in closed_before:
            if fd not in closed:
                _quiet(fd)


def _poll_of(numbers):
    poll = select.poll()
    for number in numbers:
        poll.register(number, 0)
    return poll


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

    def take(self):
        return self._room(), dict(self._walk())

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

    def _room(self):
        told = os.statvfs(self._folders[0])
        return told.f_ffree, told.f_bfree

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
