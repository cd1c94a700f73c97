"""How a warm cell was before its first run, and how it is made so again after each.

The functions are loaded by then, so what their modules set while they are loaded stays. What they keep in their globals stays,
too: that is what warm cells are for. Everything else is put back, and where that cannot be done the cell ends.

In a shared cell the functions are loaded anew for each run, after the beginning, so all of that is put back, too; and a cell in
which a run left anything at all in a module ends.
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

# From 3.14 on a collection is made in parts.
_has_generations = sys.version_info < (3, 14)

_flush = ctypes.CDLL(None).fflush


class Group:
    """Pairs of functions that tell how something is and put it back. While all functions in `glance` return what they returned
    before, none of the pairs has anything to do; a run that did nothing unusual costs no more than asking them."""

    def __init__(self, pairs, glance):
        self._pairs, self._glance = pairs, glance
        self._seen = None
        self._saved = []

    def take(self):
        return [take() for take, _ in self._pairs]

    def begin(self):
        self._saved = self.take()
        self.is_back()

    def put_back(self):
        """Whether there was any need."""
        if [glance() for glance in self._glance] == self._seen:
            return False
        self.put_back_all()
        return True

    def put_back_all(self):
        for (_, put_back), saved in zip(self._pairs, self._saved):
            put_back(saved)

    def is_back(self):
        self._seen = [glance() for glance in self._glance]

    def adopt(self, before, after):
        """Takes over what was changed in between. False if nobody knows any more how it would be without the run."""
        self._seen = None
        is_known = True
        for number, (old, new) in enumerate(zip(before, after)):
            if new != old:
                is_known &= old == self._saved[number]
                self._saved[number] = new
        return is_known


class Baseline:
    def __init__(self, folders):
        """Made in the zygote, when everything is loaded. `folders` are the cell's own, if it has any."""
        self._patches, descriptors = Patches(), files.Descriptors()
        # In this order: the others look for modules where the first puts them back, and for descriptors within the limits.
        self._groups = [
            Group(settings.NAMESPACES, [self._patches.glance]),
            Group(settings.PAIRS, settings.GLANCE),
            Group(process.PAIRS, process.GLANCE),
            Group([(descriptors.take, descriptors.put_back)], [descriptors.glance]),
        ]
        self._adopted = []
        self._is_lost = False
        self._freezes = _FREEZES
        self._rehearse()
        if folders:
            # They are not there before there is a cell.
            own = files.Files(folders)
            self._groups.append(Group([(own.take, own.put_back)], [own.glance]))

    def _rehearse(self):
        """So often that the interpreter has specialised it."""
        for _ in range(8):
            self._begin()
            self.put_back()
            for group in self._groups:
                group.put_back_all()

    def begin(self, is_strict=False):
        """Nothing has run yet. False if there is nothing that could be put back to."""
        self._patches.is_strict = is_strict
        try:
            self._begin()
        except Exception:
            return False
        gc.freeze()
        return True

    def _begin(self):
        self._patches.adopt()
        for group in self._groups:
            group.begin()

    def settle(self):
        """Before the run is over: whatever it left to happen later happens now or never, and is its own."""
        sys.settrace(None)
        sys.setprofile(None)
        process.stop_timers()
        if self._collect():
            # Something may have been done on the way out.
            process.stop_timers()
        process.reap_children()
        _flush(None)

    def _collect(self):
        if _has_generations and not gc.get_objects(2):
            # Then the others are all there is, and what the interpreter keeps to use again may stay.
            return gc.collect(1)
        start = _clock()
        found = gc.collect()
        if _clock() - start > _SLOW_NS:
            self._freeze()
        return found

    def put_back(self):
        """After the run, while nobody waits. False if the cell must end."""
        try:
            while self._adopted:
                variable, value = self._adopted.pop()
                variable.set(value)
            changed = [group for group in self._groups if group.put_back()]
            if self._is_lost or changed and not self._are_back(changed):
                return False
        except Exception:
            return False
        new_chances()
        return True

    def _are_back(self, changed):
        known = self._patches.count()
        if not self._patches.are_none():
            return False
        # Whatever was put back may have been put back in a module.
        for group in {self._groups[0], *changed}:
            group.is_back()
        if self._patches.count() > known:
            # What is remembered of a module is as little to be collected as the module.
            self._freeze()
        return True

    def _freeze(self):
        if self._freezes:
            self._freezes -= 1
            gc.freeze()

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
            return [group.take() for group in self._groups]
        except Exception:
            # The folder it works in may be gone, for one.
            self._is_lost = True
            return [[] for _ in self._groups]

    def _adopt(self, before, after):
        for group, old, new in zip(self._groups, before, after):
            self._is_lost |= not group.adopt(old, new)

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
