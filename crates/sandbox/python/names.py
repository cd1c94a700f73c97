"""The names under which `ps` and `top` show a zygote and its cells. Without them they show the interpreter and its arguments.

Nothing depends on a name: where it cannot be set, the process goes on under the one it has.
"""

import ctypes
import os
import sys

# The kernel keeps fifteen bytes of each.
ZYGOTE = b"selfmade-zygote"
CELL = b"selfmade-cell"

_PR_SET_NAME = 15
_libc = ctypes.CDLL(None)
_prctl, _memmove, _memset = _libc.prctl, ctypes.memmove, ctypes.memset
_start = None


def _find_arguments():
    """Where the kernel put the arguments, which it shows as the command line: right below the first variable."""
    given = b"".join(os.fsencode(argument) + b"\0" for argument in sys.orig_argv)
    variables = ctypes.POINTER(ctypes.c_void_p).in_dll(_libc, "environ")
    if not variables or not variables[0]:
        return None, 0
    start = variables[0] - len(given)
    found = ctypes.string_at(start, len(given)) == given
    return (start, len(given)) if found else (None, 0)


def prepare():
    """Names the zygote. To be called before anything changes the variables of the process."""
    global _start
    start, size = _find_arguments()
    if start is not None and size > len(ZYGOTE) + 1:
        _memset(start, 0, size)
        # The kernel takes a last byte that is not zero to mean that the arguments were overwritten with a single text.
        _memmove(start + size - 1, b".", 1)
        _start = start
    show(ZYGOTE)


def show(name):
    _prctl(_PR_SET_NAME, name, 0, 0, 0)
    if _start is not None:
        _memmove(_start, name, len(name) + 1)
