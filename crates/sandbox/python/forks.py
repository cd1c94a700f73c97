"""What modules want done around a fork.

A cell is forked from a process with one thread that holds no lock. What the standard library does around a fork, keeping and
renewing locks that other threads may hold, is for nothing there and would cost a fifth of making the cell. So its wishes are
kept here, and are fulfilled when a function forks, not when a cell is made. What packages wish for is always done.
"""

import os
import sys

_register = os.register_at_fork
_before, _in_parent, _in_child = [], [], []
_making_a_cell = False
# Wishes of code that is in no module, which is that of functions; none can be taken back.
foreign = 0


def register_at_fork(*, before=None, after_in_child=None, after_in_parent=None):
    given = {"before": before, "after_in_child": after_in_child, "after_in_parent": after_in_parent}
    given = {when: wish for when, wish in given.items() if wish is not None}
    if not given or not all(callable(wish) and _is_standard(wish) for wish in given.values()):
        _register(**given)
        _count_foreign(given.values())
        return
    for when, wishes in _KEPT.items():
        if when in given:
            wishes.append(given[when])


_KEPT = {"before": _before, "after_in_parent": _in_parent, "after_in_child": _in_child}


def _count_foreign(wishes):
    global foreign
    # Methods of locks, which modules of the standard library hand over, are of no module.
    named = (getattr(wish, "__module__", None) for wish in wishes)
    foreign += any(type(name) is str and name not in sys.modules for name in named)


def _is_standard(wish):
    module = getattr(wish, "__module__", None)
    return type(module) is str and module.partition(".")[0] in sys.stdlib_module_names


def _fulfil(wishes, order=iter):
    def fulfil():
        if not _making_a_cell:
            for wish in order(wishes):
                wish()

    return fulfil


def fork_a_cell():
    global _making_a_cell
    _making_a_cell = True
    try:
        return os.fork()
    finally:
        _making_a_cell = False


# As Python itself does it, what was wished for last is done first before a fork.
_register(before=_fulfil(_before, reversed), after_in_parent=_fulfil(_in_parent), after_in_child=_fulfil(_in_child))
os.register_at_fork = register_at_fork
