"""How a warm cell was before its first run, and how it is made so again after each.

The functions are loaded by then, so what their modules set while they are loaded stays. What they keep in their globals stays,
too: that is what warm cells are for. Everything else is put back, and where that cannot be done the cell ends.
"""

import contextvars
import ctypes
import gc
import os
import sys
from time import perf_counter_ns as _clock

import _cell_files as files
import _cell_process as process
import _cell_settings as settings
from _cell_calls import current
from _cell_patches import Patches

# Looking for garbage takes as long as there are objects, and a function may have loaded many. Then they are not looked at any
# more; not too often, because garbage among them stays for as long as the cell does.
_SLOW_NS = 500_000
_FREEZES = 4

_flush = ctypes.CDLL(None).fflush


class Baseline:
    def __init__(self, folders):
        """Made in the zygote, when everything is loaded. `folders` are the cell's own, if it has any."""
        descriptors = files.Descriptors()
        self._pairs = settings.PAIRS + process.PAIRS + [(descriptors.take, descriptors.put_back)]
        self._rehearse()
        if folders:
            own = files.Files(folders)
            self._pairs.append((own.take, own.put_back))
        self._patches = Patches()
        self._adopted = []
        self._is_lost = False
        self._freezes = _FREEZES

    def _rehearse(self):
        """So often that the interpreter has specialised it."""
        for _ in range(8):
            self._saved = self._take()
            for (_, put_back), saved in zip(self._pairs, self._saved):
                put_back(saved)

    def begin(self):
        """The functions are loaded, and nothing has run yet. False if there is nothing that could be put back to."""
        gc.freeze()
        try:
            self._patches.adopt()
            self._saved = self._take()
        except Exception:
            return False
        return True

    def _take(self):
        return [take() for take, _ in self._pairs]

    def settle(self):
        """Before the run is over: whatever it left to happen later happens now or never, and is its own."""
        sys.settrace(None)
        sys.setprofile(None)
        process.stop_timers()
        start = _clock()
        if gc.collect():
            # Something may have been done on the way out.
            process.stop_timers()
        if _clock() - start > _SLOW_NS and self._freezes:
            self._freezes -= 1
            gc.freeze()
        process.bury_children()
        _flush(None)

    def put_back(self):
        """After the run, while nobody waits. False if the cell must end."""
        try:
            while self._adopted:
                variable, value = self._adopted.pop()
                variable.set(value)
            for (_, put_back), saved in zip(self._pairs, self._saved):
                put_back(saved)
            if self._is_lost or not self._patches.are_none():
                return False
        except Exception:
            return False
        new_chances()
        return True

    def load(self, load):
        """Loads a function that is first called in the middle of a run. What that sets belongs to it, not to the run."""
        self._is_lost |= not self._patches.are_none()
        before, variables = self._now(), contextvars.copy_context()
        try:
            return load()
        finally:
            self._patches.adopt()
            self._adopt(before, self._now())
            self._adopt_variables(variables)

    def _now(self):
        try:
            return self._take()
        except Exception:
            # The folder it works in may be gone, for one.
            self._is_lost = True
            return self._saved

    def _adopt(self, before, after):
        for number, (old, new) in enumerate(zip(before, after)):
            if new != old:
                # If the run had changed it before, nobody knows any more how it would be without.
                self._is_lost |= old != self._saved[number]
                self._saved[number] = new

    def _adopt_variables(self, before):
        for variable, value in contextvars.copy_context().items():
            if variable is not current and before.get(variable) is not value:
                self._adopted.append((variable, value))


def new_chances():
    """After a fork all cells would draw the same numbers, and after a run its seed would be known. The standard library would see
    to the first itself, at a higher price."""
    random = sys.modules.get("random")
    if random is not None:
        shared = random._inst
        super(random.Random, shared).seed(int.from_bytes(os.urandom(32), "big"))
        shared.gauss_next = None
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(int.from_bytes(os.urandom(4), "big"))
