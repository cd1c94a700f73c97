"""The zygote: one single-threaded interpreter that has everything loaded and forks cells from itself when it is told to."""

import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys

import _cell_confine as confine
from _cell_cell import Cell, install
from _cell_frames import Channel
from _cell_networks import Networks
from _cell_stopwatch import NoStopwatch, Stopwatch

_CELL_FD = 4


def serve(control, boot):
    zygote = Zygote(control, boot)
    zygote.prepare()
    zygote.loop()


class Zygote:
    def __init__(self, control, boot):
        # The inherited number becomes /dev/null, so that nothing in here reads the control socket by mistake.
        self._control = socket.socket(fileno=fcntl.fcntl(control.detach(), fcntl.F_DUPFD_CLOEXEC, 64))
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        self._boot = boot
        self._namespaces = boot["layers"]["namespaces"]
        self._confinement = confine.Confinement(boot)
        self._networks = Networks(boot["proxy_port"]) if self._namespaces else None
        self._cells = {}
        self._stopwatch = Stopwatch if boot["time_births"] else NoStopwatch
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake)

    def prepare(self):
        sys.path.extend(self._boot["sys_path"])
        skipped = [name for name in self._boot["preload"] if not _imported(name)]
        # Only what was loaded just now had use for it; a job with a way out is told of it again.
        os.environ.pop("SSL_CERT_FILE", None)
        _look_for_the_proxy()
        sys.stdout.reconfigure(line_buffering=True)
        _rehearse(self._boot["rehearsal"])
        if self._namespaces:
            self._own_pidfd = os.pidfd_open(os.getpid())
        # Frozen objects are never looked at by the collector again, so cells do not copy their pages.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._tell({"booted": {"skipped": skipped}})

    def loop(self):
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == self._woken:
                    self._drain_wakes()
                    self._reap()
                else:
                    self._obey()

    def _obey(self):
        data, fds, _, _ = socket.recv_fds(self._control, 65536, 8)
        if not data:
            os._exit(0)
        message = json.loads(data)
        if "fork" in message:
            self._fork(message["fork"], fds)
        elif "listen" in message:
            self._listen(message["listen"])
        for fd in fds:
            os.close(fd)

    def _fork(self, number, fds):
        watch = self._stopwatch()
        network = None
        try:
            network = self._enter_namespaces(watch)
            pid = os.fork()
        except OSError as error:
            if network is not None:
                self._networks.leave(network)
            self._tell({"fork_failed": {"number": number, "why": str(error)}})
            return
        if pid == 0:
            watch.lap("fork")
            self._be_cell(fds, watch)
        self._cells[pid] = (number, network)
        pidfd = os.pidfd_open(pid)
        self._tell({"forked": number}, [pidfd])
        os.close(pidfd)

    def _enter_namespaces(self, watch):
        if not self._namespaces:
            return None
        network = self._networks.enter()
        watch.lap("net namespace")
        # The first fork after this is pid 1 of a namespace of its own; when it dies, so does all it left behind.
        confine.setns(self._own_pidfd, confine.CLONE_NEWPID)
        confine.unshare(confine.CLONE_NEWPID)
        watch.lap("pid namespace")
        return network

    def _be_cell(self, fds, watch):
        sock = None
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            confine.die_with_parent()
            os.setsid()
            os.umask(0o077)
            os.dup2(fds[1], 1)
            os.dup2(fds[2], 2)
            os.dup2(fds[0], _CELL_FD)
            os.closerange(_CELL_FD + 1, 1 << 20)
            sock = socket.socket(fileno=_CELL_FD)
            watch.lap("descriptors and session")
            self._confinement.enter(watch)
            channel = Channel(sock, self._boot["frame_bytes"])
            cell = Cell(channel)
            install(cell)
            cell.rehearse(self._boot["rehearsal"][0])
            _new_chances()
            watch.lap("rehearsal")
            channel.send({"ready": watch.laps})
        except BaseException as error:
            if sock is not None:
                Channel(sock, 0).send({"unready": f"{type(error).__name__}: {error}"})
            os._exit(70)
        cell.serve()

    def _listen(self, number):
        try:
            network = next(net for found, net in self._cells.values() if found == number)
            listener = network.listen()
        except (StopIteration, OSError) as error:
            self._tell({"listen_failed": {"number": number, "why": str(error) or "the cell is gone"}})
            return
        self._tell({"listening": number}, [listener.fileno()])
        listener.close()

    def _drain_wakes(self):
        try:
            while os.read(self._woken, 512):
                pass
        except BlockingIOError:
            pass

    def _reap(self):
        while self._cells:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            number, network = self._cells.pop(pid, (None, None))
            if number is None:
                continue
            if network is not None:
                self._networks.leave(network)
            cpu_us = int((usage.ru_utime + usage.ru_stime) * 1_000_000)
            self._tell({"reaped": {"number": number, "status": os.waitstatus_to_exitcode(status), "cpu_us": cpu_us}})

    def _tell(self, message, fds=()):
        socket.send_fds(self._control, [json.dumps(message).encode()], list(fds))


def _imported(name):
    try:
        importlib.import_module(name)
    except Exception:
        return False
    return True


def _rehearse(jobs):
    """So often that the interpreter has specialised what runs, once in words that succeed and once in words that fail."""
    cell = Cell(Channel(None, 1 << 20))
    for _ in range(8):
        for job in jobs:
            cell.rehearse(job)
    del sys.modules["selfmade"]


def _look_for_the_proxy():
    """Every client finds the proxy by the usual variables, but this one only when it is told to look at them."""
    aiohttp = sys.modules.get("aiohttp")
    if aiohttp is not None:
        aiohttp.ClientSession.__init__.__kwdefaults__["trust_env"] = True


def _new_chances():
    """The standard library reseeds itself after a fork; numpy does not, and all cells would draw the same numbers."""
    random = sys.modules.get("numpy.random")
    if random is not None:
        random.seed(struct.unpack("I", os.urandom(4))[0])
