"""What a run can change in the interpreter besides modules, as pairs like those of `_cell_process`.

What stands in modules and in the environment is apart, in `NAMESPACES`: `_cell_patches` sees when something was written there.
"""

import _locale
import _socket
import _warnings
import ctypes
import decimal
import functools
import gc
import operator
import sys

import _cell_forks as forks
import _cell_kernel as kernel
from _cell_process import fixed, put_back_variables, variables, writable

_audit_hooks = 0
_tools_taken = 0
_warning_filters = _warnings.filters
_usual_decimals = decimal.getcontext()
_HEAD_BYTES = object.__basicsize__
_Memory = ctypes.c_char * (decimal.Context.__basicsize__ - _HEAD_BYTES)
_memory_of_decimals = _Memory.from_address(id(_usual_decimals) + _HEAD_BYTES)

# Attributes that hold a state and no code; what holds code is looked at by `_cell_patches`.
_OF_SYS = ["stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__", "modules", "path", "meta_path", "path_hooks"]
_OF_SYS += ["excepthook", "displayhook", "unraisablehook", "breakpointhook", "dont_write_bytecode"]
_of_sys = operator.itemgetter(*_OF_SYS)
# Where there is none, `None` means the same.
_OF_OTHERS = [
    ("os", "environ"),
    ("threading", "_trace_hook"),
    ("threading", "_profile_hook"),
    ("asyncio.events", "_event_loop_policy"),
]


def _counted(add):
    @functools.wraps(add)
    def addaudithook(hook):
        global _audit_hooks
        add(hook)
        _audit_hooks += 1

    return addaudithook


# No hook can be removed, and nothing tells how many there are.
sys.addaudithook = _counted(sys.addaudithook)


def _hooks_for_good():
    return _audit_hooks, forks.foreign


def _counted_tools(take):
    @functools.wraps(take)
    def use_tool_id(number, name, /):
        global _tools_taken
        _tools_taken += 1
        return take(number, name)

    return use_tool_id


def _attributes_of_sys():
    return _of_sys(vars(sys))


def _write_attributes_of_sys(saved):
    vars(sys).update(zip(_OF_SYS, saved))


def _attributes():
    get = sys.modules.get
    return [getattr(get(module), name, None) for module, name in _OF_OTHERS]


def _write_attributes(saved):
    for (module, name), value in zip(_OF_OTHERS, saved):
        if module in sys.modules:
            setattr(sys.modules[module], name, value)


def _paths():
    return list(sys.path), list(sys.meta_path), list(sys.path_hooks)


def _write_paths(saved):
    sys.path[:], sys.meta_path[:], sys.path_hooks[:] = saved


_of_stream = operator.attrgetter("encoding", "errors", "line_buffering", "write_through")


def _streams():
    return [_of_stream(sys.stdout), _of_stream(sys.stderr)]


def _write_streams(saved):
    for stream, (encoding, errors, by_line, through) in zip((sys.stdout, sys.stderr), saved):
        stream.reconfigure(encoding=encoding, errors=errors, line_buffering=by_line, write_through=through)


def _filters():
    return list(_warning_filters)


def _glance_at_filters():
    return id(getattr(sys.modules.get("warnings"), "filters", None)), list(_warning_filters)


def _put_back_filters(saved):
    warnings = sys.modules.get("warnings")
    if warnings is None or warnings.filters is _warning_filters and _warning_filters == saved:
        return
    warnings.filters = _warning_filters
    # Has what was decided by the old ones decided anew.
    warnings.resetwarnings()
    _warning_filters[:] = saved


def _logging():
    logging = sys.modules.get("logging")
    root = getattr(logging, "root", None)
    return root and (list(root.handlers), list(root.filters), root.level, root.manager.disable)


def _put_back_logging(saved):
    if saved and _logging() != saved:
        root = sys.modules["logging"].root
        root.handlers[:], root.filters[:], level, root.manager.disable = saved
        root.setLevel(level)


def _decimals():
    return repr(decimal.getcontext())


def _put_back_decimals(saved):
    if _decimals() != saved:
        decimal.setcontext(eval(saved, vars(decimal)))


def _glance_at_decimals():
    """A context is one piece of memory, which is read faster than written out."""
    return _memory_of_decimals.raw if decimal.getcontext() is _usual_decimals else _decimals()


def _locales():
    return _locale.setlocale(_locale.LC_ALL)


def _callbacks():
    return list(gc.callbacks)


def _write_callbacks(saved):
    gc.callbacks[:] = saved


def _tools():
    return [sys.monitoring.get_tool(number) for number in range(6)]


def _written():
    return _audit_hooks, forks.foreign, _tools_taken


def _spread(write):
    return lambda values: write(*values)


NAMESPACES = [
    writable(_attributes_of_sys, _write_attributes_of_sys),
    writable(_attributes, _write_attributes),
    (variables, put_back_variables),
]
PAIRS = [
    writable(_paths, _write_paths),
    writable(_streams, _write_streams),
    (_filters, _put_back_filters),
    (_logging, _put_back_logging),
    (_decimals, _put_back_decimals),
    writable(_locales, lambda saved: _locale.setlocale(_locale.LC_ALL, saved)),
    writable(_callbacks, _write_callbacks),
    fixed(_hooks_for_good),
]
_NUMBERS = [
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (_socket.getdefaulttimeout, _socket.setdefaulttimeout),
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.getswitchinterval, sys.setswitchinterval),
    (sys.get_asyncgen_hooks, _spread(sys.set_asyncgen_hooks)),
    (sys.get_coroutine_origin_tracking_depth, sys.set_coroutine_origin_tracking_depth),
    (gc.get_threshold, _spread(gc.set_threshold)),
    (gc.get_debug, gc.set_debug),
]
if hasattr(sys, "get_int_max_str_digits"):
    _NUMBERS.append((sys.get_int_max_str_digits, sys.set_int_max_str_digits))
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id = _counted_tools(sys.monitoring.use_tool_id)
    PAIRS.append(fixed(_tools))
PAIRS += [writable(read, write) for read, write in _NUMBERS]
GLANCE = [_paths, _streams, _glance_at_filters, _logging, kernel.locales, _callbacks, _written]
GLANCE.append(_glance_at_decimals if "_decimal" in sys.modules else _decimals)
GLANCE += [read for read, _ in _NUMBERS]
