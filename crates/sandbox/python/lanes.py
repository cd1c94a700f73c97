"""Lanes: which flow of control of a function asks for a step.

Steps are numbered within their lane, and a run that is executed again must name its lanes as it did before, however its
threads are scheduled. So a lane is named by who started it and by how many that one had started before: the job itself is
`main`, the second thread or task that it starts `main/2`, the first one that this starts `main/2/1`.

What is started by chance has no lane: the workers of a pool (the tasks they are given have one), callbacks of an event loop,
threads of native code. A verb cannot be asked for there.
"""

import _contextvars
import _thread
import sys
from _frozen_importlib_external import PathFinder

# As the supervisor has it.
_MOST = 100
# Of a task of asyncio.
_ATTRIBUTE = "_selfmade_lane"

# Of each thread: `lane`, whether what it starts now gets none (`is_hidden`), whether its own lane is lent to the task it is about
# to run (`lends`), and the lane of the task that is being made (`making`).
_thread_local = _thread._local()
# Of a task that is made in the thread of an event loop because another thread has asked for it: a list with its lane.
_ordered = _contextvars.ContextVar("ordered_lane", default=())

# From asyncio, once that is loaded.
_running_loop = _current_task = None


class Lane:
    __slots__ = ("name", "_started")

    def __init__(self, name):
        self.name = name
        self._started = 0

    def next(self):
        """The lane of what this one starts next. Nobody else asks for it, so it takes no lock."""
        self._started += 1
        return Lane(_bounded(f"{self.name}/{self._started}"))


def begin():
    """A job begins, in this thread."""
    _thread_local.lane = Lane("main")


def current():
    """The lane of whoever asks, or None."""
    loop = _running_loop and _running_loop()
    if loop is None:
        return getattr(_thread_local, "lane", None)
    task = _current_task(loop)
    if task is None:
        return None
    lane = getattr(task, _ATTRIBUTE, None)
    if lane is None and (lane := getattr(_thread_local, "making", None)) is not None:
        # It runs before whoever makes it has got it back.
        _give(task, lane)
    return lane


def _next():
    if getattr(_thread_local, "is_hidden", False):
        return None
    lane = current()
    return None if lane is None else lane.next()


def _bounded(name):
    if len(name) <= _MOST:
        return name
    import _blake2

    return "~" + _blake2.blake2b(name.encode(), digest_size=16).hexdigest()


class _set:
    """Sets something of this thread for a while."""

    __slots__ = ("_name", "_value", "_before")

    def __init__(self, name, value):
        self._name, self._value = name, value

    def __enter__(self):
        self._before = getattr(_thread_local, self._name, None)
        setattr(_thread_local, self._name, self._value)

    def __exit__(self, *error):
        setattr(_thread_local, self._name, self._before)


def _in_lane(lane, function, /, *args, **kwargs):
    with _set("lane", lane):
        return function(*args, **kwargs)


def _starting(start):
    """Starts threads in lanes of their own."""

    def start_thread(function, args=(), *rest, **options):
        if not callable(function) or not isinstance(args, tuple) or rest and not isinstance(rest[0], dict):
            # Raises what it always does.
            return start(function, args, *rest, **options)
        return start(_in_lane, (_next(), function, *args), *rest, **options)

    return start_thread


def _starting_joinable(start):
    def start_thread(function, *rest, **options):
        if not callable(function):
            return start(function, *rest, **options)
        lane = _next()
        return start(lambda: _in_lane(lane, function), *rest, **options)

    return start_thread


def _submitting(submit):
    """A pool begins a thread if none is idle, and whichever is idle takes the next task: both are chance."""

    def submit_in_lane(self, fn, /, *args, **kwargs):
        if _is_elsewhere(self):
            return submit(self, fn, *args, **kwargs)
        lane = _next()
        with _set("is_hidden", True):
            return submit(self, _in_lane, lane, fn, *args, **kwargs)

    return submit_in_lane


def _is_elsewhere(executor):
    """Whether its tasks run in other interpreters, which cannot ask for verbs, and cannot be handed one of our functions."""
    return type(executor).__name__ == "InterpreterPoolExecutor"


def _hiding(make):
    """What it starts has no lane."""

    def make_hidden(*args, **kwargs):
        with _set("is_hidden", True):
            return make(*args, **kwargs)

    return make_hidden


def _lending(run):
    """Runs a task while the code of this thread waits for it, so both have the same lane."""

    def run_in_lane(*args, **kwargs):
        with _set("lends", True):
            return run(*args, **kwargs)

    return run_in_lane


def _making(create):
    def create_task(self, coro, **options):
        lane = _lent() or _next() or _take_ordered()
        with _set("making", lane):
            task = create(self, coro, **options)
        if lane is not None:
            _give(task, lane)
        return task

    return create_task


def _lent():
    if _running_loop() is not None or not getattr(_thread_local, "lends", False):
        return None
    _thread_local.lends = False
    return getattr(_thread_local, "lane", None)


def _take_ordered():
    ordered = _ordered.get()
    return ordered.pop() if ordered else None


def _give(task, lane):
    try:
        setattr(task, _ATTRIBUTE, lane)
    except AttributeError:
        # Made by somebody else's factory. Then it has no lane.
        pass


def _ordering(order):
    """The task is made in the loop's thread, in a copy of this context."""

    def run_coroutine_threadsafe(coro, loop):
        token = _ordered.set([_next()])
        try:
            return order(coro, loop)
        finally:
            _ordered.reset(token)

    return run_coroutine_threadsafe


def _replace(owner, name, wrap):
    original = getattr(owner, name, None)
    if original is None:
        return
    made = wrap(original)
    made.__name__, made.__qualname__, made.__doc__ = name, getattr(original, "__qualname__", name), original.__doc__
    made.__module__ = original.__module__
    made.__wrapped__ = original
    setattr(owner, name, made)


def _patch_events(events):
    global _running_loop
    _running_loop = events._get_running_loop


def _patch_tasks(tasks):
    global _current_task
    _current_task = tasks.current_task
    _replace(tasks, "run_coroutine_threadsafe", _ordering)


def _patch_loops(base_events):
    _replace(base_events.BaseEventLoop, "create_task", _making)
    _replace(base_events.BaseEventLoop, "run_until_complete", _lending)


def _patch_runners(runners):
    # Not there before Python 3.11.
    if hasattr(runners, "Runner"):
        _replace(runners.Runner, "run", _lending)


def _patch_thread_pools(thread):
    _replace(thread.ThreadPoolExecutor, "submit", _submitting)


def _patch_pools(pool):
    _replace(pool.Pool, "__init__", _hiding)


_PATCHES = {
    "asyncio.events": _patch_events,
    "asyncio.tasks": _patch_tasks,
    "asyncio.base_events": _patch_loops,
    "asyncio.runners": _patch_runners,
    "concurrent.futures.thread": _patch_thread_pools,
    "multiprocessing.pool": _patch_pools,
}


class Finder:
    """Finds the modules that start something, and changes them as soon as they are loaded. Few functions load any."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        patch = _PATCHES.get(name)
        spec = PathFinder.find_spec(name, path, target) if patch else None
        if spec is None or spec.loader is None:
            return None
        loader, execute = spec.loader, spec.loader.exec_module

        def exec_module(module):
            del loader.exec_module
            execute(module)
            patch(module)

        loader.exec_module = exec_module
        return spec


def _install():
    for name in ("start_new_thread", "start_new"):
        _replace(_thread, name, _starting)
    _replace(_thread, "start_joinable_thread", _starting_joinable)
    threading = sys.modules.get("threading")
    for name in ("_start_new_thread", "_start_joinable_thread"):
        if hasattr(threading, name):
            setattr(threading, name, getattr(_thread, name[1:]))
    for name, patch in _PATCHES.items():
        if name in sys.modules:
            patch(sys.modules[name])
    sys.meta_path.insert(0, Finder)


_install()
