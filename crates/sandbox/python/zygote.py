"""The zygote: one single-threaded interpreter that has everything loaded and forks cells from itself when it is told to.

Every page of memory that it writes to between two forks is copied, so what it does for each fork is written with that in mind:
few steps, and the plain functions below the comfortable ones.
"""

import _signal
import _socket
import gc
import os
import sys
import time

import _cell_confine as confine
import _cell_forks as forks
import _cell_names as names
from _cell_baseline import Baseline, new_chances
from _cell_cell import Cell
from _cell_frames import from_json, to_json
from _cell_networks import Networks
from _cell_stopwatch import NoStopwatch, Stopwatch

_CELL_FD = 4
_CONTROL_FD = 64
_ROOM_FOR_FDS = _socket.CMSG_SPACE(3 * 4)
# Cells that have ended are reaped before the next fork, and if none comes, after so many microseconds.
_BURY_US = 250_000
# So many may be ending while the next one is made. Their ends take as long as their makings, and whoever asks for cells faster
# than they end would fill the machine with them.
_ENDING = 8
# How many strange ends are remembered until somebody asks for them.
_REMEMBERED = 256


def serve(control, boot):
    names.prepare()
    zygote = Zygote(control, boot)
    zygote.prepare()
    zygote.loop()


class Zygote:
    def __init__(self, control, boot):
        # The inherited number becomes /dev/null, so that nothing in here reads the control socket by mistake.
        fd = os.dup2(control.detach(), _CONTROL_FD, False)
        self._control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, fd)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        timeout = (0).to_bytes(8, sys.byteorder) + _BURY_US.to_bytes(8, sys.byteorder)
        self._control.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, timeout)
        os.setsid()
        os.umask(0o077)
        self._boot = boot
        self._namespaces = boot["layers"]["namespaces"]
        self._confinement = confine.Confinement(boot)
        self._networks = Networks(boot["proxy_port"]) if self._namespaces else None
        self._cell = Cell(boot["frame_bytes"])
        # By process and by number.
        self._cells, self._processes = {}, {}
        self._ended = {}
        self._stopwatch = Stopwatch if boot["time_births"] else NoStopwatch

    def prepare(self):
        sys.path.extend(self._boot["sys_path"])
        skipped = [name for name in self._boot["preload"] if not _imported(name)]
        # Only what was loaded just now had use for it; a job with a way out is told of it again.
        os.environ.pop("SSL_CERT_FILE", None)
        _look_for_the_proxy()
        sys.stdout.reconfigure(line_buffering=True)
        self._cell.install()
        # So often that the interpreter has specialised what runs, once in words that succeed and once in words that fail.
        for _ in range(8):
            for job in self._boot["rehearsal"]:
                self._cell.rehearse(job)
        if self._namespaces:
            self._own_pidfd = os.pidfd_open(os.getpid())
        self._cell.baseline = Baseline(self._confinement.own_folders)
        # Frozen objects are never looked at by the collector again, so cells do not copy their pages.
        gc.collect()
        gc.freeze()
        gc.disable()
        confine.trim_memory()
        self._tell(f'{{"booted":{{"skipped":{to_json(skipped)}}}}}')

    def loop(self):
        while True:
            try:
                data, attached, _, _ = self._control.recvmsg(1024, _ROOM_FOR_FDS)
            except BlockingIOError:
                self._reap()
            else:
                self._obey(data, attached)

    def _obey(self, data, attached):
        if not data:
            os._exit(0)
        message = from_json(data)
        if "fork" in message:
            fds = memoryview(attached[0][2]).cast("i")
            self._wait_for_ends(message["fork"]["alive"])
            self._fork(message["fork"], fds)
            for fd in fds:
                os.close(fd)
        elif "listen" in message:
            self._listen(message["listen"])
        elif "reap" in message:
            self._tell_end(message["reap"])

    def _fork(self, wanted, fds):
        number = wanted["number"]
        watch = self._stopwatch()
        network = None
        try:
            network = self._enter_namespaces(watch)
            # A cell inherits its name. Naming itself would make it copy a dozen pages that it shares with the zygote.
            names.show(names.CELL)
            pid = forks.fork_a_cell()
        except OSError as error:
            names.show(names.ZYGOTE)
            if network is not None:
                self._networks.leave(network)
            self._tell(f'{{"fork_failed":{{"number":{number},"why":{to_json(str(error))}}}}}')
            return
        if pid == 0:
            watch.lap("fork")
            self._be_cell(fds, watch, wanted["hurry"])
        self._cells[pid] = number, network
        self._processes[number] = pid
        names.show(names.ZYGOTE)
        pidfd = os.pidfd_open(pid)
        self._tell(f'{{"forked":{number}}}', pidfd)
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

    def _be_cell(self, fds, watch, hurry):
        channel = self._cell.channel
        try:
            if not self._namespaces:
                confine.die_with_parent()
            # Signals to its group reach nothing but what it started. A session of its own would do the same, and cost more
            # than all namespaces together on kernels that schedule by session.
            os.setpgid(0, 0)
            os.dup2(fds[1], 1)
            os.dup2(fds[2], 2)
            os.dup2(fds[0], _CELL_FD)
            os.closerange(_CELL_FD + 1, 1 << 20)
            channel.sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, _CELL_FD)
            watch.lap("descriptors and session")
            self._confinement.enter(watch)
            new_chances()
            if not hurry:
                self._cell.rehearse(self._boot["rehearsal"][0])
                watch.lap("rehearsal")
            channel.send({"ready": watch.laps})
        except BaseException as error:
            if channel.sock is not None:
                channel.send({"unready": f"{type(error).__name__}: {error}"})
            os._exit(70)
        self._cell.serve()

    def _listen(self, number):
        try:
            network = self._cells[self._processes[number]][1]
            listener = network.listen()
        except (KeyError, OSError) as error:
            why = "the cell is gone" if type(error) is KeyError else str(error)
            self._tell(f'{{"listen_failed":{{"number":{number},"why":{to_json(why)}}}}}')
            return
        self._tell(f'{{"listening":{number}}}', listener.fileno())
        listener.close()

    def _wait_for_ends(self, alive):
        self._reap()
        # A bound, because an end can be held up by anything, and then it is better to go on.
        for _ in range(20):
            if len(self._cells) - alive <= _ENDING:
                return
            time.sleep(0.001)
            self._reap()

    def _reap(self):
        """Takes leave of cells that have ended. Nearly all were killed after their answer, and nobody asks how they ended."""
        while self._cells:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            # An orphan of a cell without a namespace of its own may come here too.
            number, network = self._cells.pop(pid, (None, None))
            if number is None:
                continue
            del self._processes[number]
            if network is not None:
                self._networks.leave(network)
            if status != _signal.SIGKILL:
                self._remember(number, status, usage)

    def _remember(self, number, status, usage):
        cpu_us = int((usage.ru_utime + usage.ru_stime) * 1_000_000)
        self._ended[number] = os.waitstatus_to_exitcode(status), cpu_us
        if len(self._ended) > _REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _tell_end(self, number):
        self._reap()
        status, cpu_us = self._ended.pop(number, ("null", 0))
        self._tell(f'{{"reaped":{{"number":{number},"status":{status},"cpu_us":{cpu_us}}}}}')

    def _tell(self, message, fd=None):
        rights = () if fd is None else ((_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fd.to_bytes(4, sys.byteorder)),)
        self._control.sendmsg((message.encode("ascii"),), rights)


def _imported(name):
    try:
        __import__(name)
    except Exception:
        return False
    return True


def _look_for_the_proxy():
    """Every client finds the proxy by the usual variables, but this one only when it is told to look at them."""
    aiohttp = sys.modules.get("aiohttp")
    if aiohttp is not None:
        aiohttp.ClientSession.__init__.__kwdefaults__["trust_env"] = True
