"""Whether code was put in the place of other code, in modules or in classes.

A module that is imported later is welcome, and what a module or a class keeps for itself is its own business. But a function,
class or module that stands where another one stood cannot be put back, because others may hold it by now. In a shared cell no
value may stand anywhere that was not there before, except modules.

There are ten thousand attributes even where nothing is preloaded, too many to be compared after each run. Up to Python 3.13
a dict has a number that changes with it, so only dicts that were changed are compared. Where it is missing all of them are.
"""

import builtins
import gc
import os
import sys
import types

from _cell_tags import Tags

# Of classes, those that were loaded first, which are the standard library's.
_CLASSES = 2000
_HEAP_TYPE = 1 << 9
# Asked in this way, modules and classes run no code of their own. Some load half a package when they are looked at.
_space = types.ModuleType.__dict__["__dict__"].__get__
_class_space, _flags = type.__dict__["__dict__"].__get__, type.__dict__["__flags__"].__get__


class Patches:
    """Made in the zygote, when everything is loaded."""

    def __init__(self):
        self._modules = []
        # For the first two, to see that they were changed is all there is to do here.
        self._spaces, self._seen = [sys.modules, os.environ._data], [[], []]
        self._others = len(self._spaces)
        self._classes = _CLASSES
        self.is_strict = False
        self._welcome()

    def glance(self):
        """The same as before only if nothing was changed in a namespace, in the environment or among the modules."""
        return self._tags.read() if _has_tags else object()

    def count(self):
        """Of namespaces that are known."""
        return len(self._spaces)

    def adopt(self):
        """Takes what there is as what there must be."""
        for place in self._changed():
            self._seen[place] = gc.get_referents(self._spaces[place])
        self._welcome()

    def are_none(self):
        if not all(map(self._is_intact, self._changed())):
            return False
        modules = list(sys.modules.values())
        if modules == self._modules:
            return True
        if modules[: len(self._modules)] != self._modules:
            return False
        self._welcome()
        return True

    def _changed(self):
        """The places of namespaces that may have changed since this was asked last."""
        places = range(self._others, len(self._spaces))
        if not _has_tags:
            return [n for n in places if not _are_equal(gc.get_referents(self._spaces[n]), self._seen[n])]
        before, self._version = self._version, self._tags.read()
        if before == self._version:
            return ()
        before, now = memoryview(before).cast("Q"), memoryview(self._version).cast("Q")
        return [n for n in places if before[n] != now[n]]

    def _is_intact(self, place):
        space, before = self._spaces[place], self._seen[place]
        self._seen[place] = now = gc.get_referents(space)
        if _is_ours(space) and len(now) != len(before) or len(now) < len(before):
            return False
        if self.is_strict and not all(type(added) is types.ModuleType for added in now[len(before) :]):
            return False
        counts = _anything if self.is_strict or _is_ours(space) else _is_code
        return not any(one is not other and counts(one) and not _is_same_text(one, other) for one, other in zip(before, now))

    def _welcome(self):
        modules = list(sys.modules.values())
        new = [module for module in modules[len(self._modules) :] if issubclass(type(module), types.ModuleType)]
        self._modules = modules
        spaces = list(map(_space, new))
        classes = _classes(spaces)[: self._classes]
        self._classes -= len(classes)
        for space in spaces + classes:
            self._spaces.append(space)
            self._seen.append(gc.get_referents(space))
        if _has_tags:
            self._tags = Tags(self._spaces)
            self._version = self._tags.read()


def _classes(spaces):
    """The namespaces of classes that can be changed, each where it was defined."""
    found = {}
    for space in spaces:
        for value in list(space.values()):
            if issubclass(type(value), type) and _is_defined_in(value, space):
                found[id(value)] = value
    # `__dict__` would only be a view of it.
    return [one for value in found.values() for one in gc.get_referents(value) if type(one) is dict]


def _is_defined_in(kind, space):
    """Whether it is a class of that module that can be changed."""
    own = _class_space(kind)
    return bool(_flags(kind) & _HEAP_TYPE) and own.get("__module__") == space.get("__name__")


def _are_equal(some, others):
    try:
        return some == others
    except Exception:
        # What cannot be compared is not the same.
        return False


def _is_ours(space):
    """Whether functions have no business to keep anything there."""
    return space is vars(builtins) or space.get("__name__") == "selfmade"


def _is_same_text(one, other):
    """The standard library writes some anew, such as the names of the time zone."""
    both = [one, other] if type(one) is type(other) is str else [*one, *other] if type(one) is type(other) is tuple else []
    return bool(both) and all(type(text) is str for text in both) and one == other


def _anything(value):
    return True


def _is_code(value):
    return callable(value) or type(value) is types.ModuleType


def _are_there_tags():
    spaces = {"a": 1}, {}
    tags = Tags(spaces)
    before, as_before = tags.read(), tags.read()
    spaces[0]["a"] = 2
    after = tags.read()
    return sys.version_info < (3, 14) and as_before == before and after[:8] != before[:8] and after[8:] == before[8:]


_has_tags = _are_there_tags()
