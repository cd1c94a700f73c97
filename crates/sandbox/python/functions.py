"""A closure of functions: each source is executed in a namespace of its own, its dependencies bound under their aliases."""

import binascii
import datetime
import marshal
import re
import sys
import types

from _cell_babyagi import Func
from _cell_calls import recorded
from _cell_errors import show_source
from _cell_values import to_base64

# Flags of code objects, as `inspect` names them; that module itself is large, and every cell would carry it.
_CO_VARARGS, _CO_GENERATOR, _CO_COROUTINE, _CO_ASYNC_GENERATOR = 0x04, 0x20, 0x80, 0x200

# BabyAGI hands every function the class; a source written for the module says so by what it takes from it.
_DATETIME_MODULE = re.compile(r"\bdatetime\.(datetime|timedelta|timezone)\b")


class Closure:
    def __init__(self, functions, recorder):
        self._functions = functions
        self._recorder = recorder
        self._loaded = {}
        self._codes = {}
        self._secrets = {}
        # In a warm cell, from its first run on.
        self.baseline = None

    def use_secrets(self, secrets):
        self._secrets = secrets
        for index, (function, _) in self._loaded.items():
            self._bind_secrets(self._functions[index], function.__globals__)

    def load(self, index):
        """The function and its kind, made once."""
        if index not in self._loaded:
            make = self.baseline.load if self.baseline else _at_once
            self._loaded[index] = make(lambda: self._make(index))
        return self._loaded[index]

    def unload(self):
        """So that nothing is left of what a run kept in globals, defaults or attributes of functions."""
        self._loaded.clear()

    def _make(self, index):
        spec = self._functions[index]
        space = {"__name__": spec["name"], "__builtins__": __builtins__}
        if spec["dialect"] == "babyagi":
            self._bind_secrets(spec, space)
            space["parent_log_id"] = None
            space["func"] = Func(lambda name: self._named(spec, name))
            _bind_imports(spec, space)
        for alias, target in spec["dependencies"].items():
            _bind(space, alias, self._wrapper(target))
        show_source(spec["file"], spec["source"], spec.get("lines_above", 0))
        if index not in self._codes:
            self._codes[index] = _code(spec)
        _execute(self._codes[index], space, spec["source"])
        function = space.get(spec["name"].rpartition(".")[2])
        if type(function) is not types.FunctionType:
            raise NameError(f"the source of `{spec['name']}` defines no function of that name")
        return function, _kind(function.__code__.co_flags)

    def _named(self, spec, name):
        """What the run has loaded under this name, the dependencies of who asks first; None if it is nothing."""
        if name in spec["dependencies"]:
            return self._wrapper(spec["dependencies"][name])
        for target, function in enumerate(self._functions):
            if function["file"].rpartition("@")[0] == name:
                return self._wrapper(target)
        return None

    def _wrapper(self, target):
        name = self._functions[target]["name"]
        return recorded(self._recorder, target, name, lambda: self.load(target))

    def _bind_secrets(self, spec, space):
        if spec["dialect"] != "babyagi":
            return
        # Never over a dependency, an import or what is always there: a secret that is named like one would break it.
        taken = {"func", "datetime", "parent_log_id", *spec["dependencies"], *spec["imports"]}
        space.update((name, self._secrets[name]) for name in spec["secrets"] if name in self._secrets and name not in taken)


class _Module:
    def __init__(self, space):
        self.__dict__ = space


def _execute(code, space, source):
    name = space["__name__"]
    if "dataclass" not in source or name in sys.modules:
        exec(code, space)
        return
    # That decorator looks for the module of its class.
    sys.modules[name] = _Module(space)
    try:
        exec(code, space)
    finally:
        sys.modules.pop(name, None)


def _at_once(make):
    return make()


def _code(spec):
    known = spec.get("code")
    code = marshal.loads(binascii.a2b_base64(known)) if known else _compiled(spec["source"], spec["file"])
    above = spec.get("lines_above", 0)
    return _moved_up(code, above) if above else code


def _moved_up(code, lines):
    """The same code with smaller line numbers."""
    constants = (_moved_up(one, lines) if type(one) is types.CodeType else one for one in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno - lines, co_consts=tuple(constants))


def _compiled(source, file):
    return compile(source, file, "exec", dont_inherit=True)


def code_as_text(source, file):
    """The code of a source, for `code` in what other cells are told of the function."""
    return to_base64(marshal.dumps(_compiled(source, file)))


def _kind(flags):
    if flags & _CO_COROUTINE:
        return "coroutine"
    if flags & _CO_ASYNC_GENERATOR:
        return "async_generator"
    return "generator" if flags & _CO_GENERATOR else None


def _bind(space, alias, value):
    """A dotted alias becomes an attribute of a small namespace under its first part."""
    *path, last = alias.split(".")
    if not path:
        space[last] = value
        return
    at = space.setdefault(path[0], types.SimpleNamespace())
    for part in path[1:]:
        if not hasattr(at, part):
            setattr(at, part, types.SimpleNamespace())
        at = getattr(at, part)
    setattr(at, last, value)


def _bind_imports(spec, space):
    space["datetime"] = datetime.datetime
    for name in spec["imports"]:
        if name == "datetime" and not _DATETIME_MODULE.search(spec["source"]):
            continue
        # With a dotted name this gives the package, which is what an `import` statement binds too.
        space[name.partition(".")[0]] = __import__(name)


def arguments(function, given):
    """The input object as positional and named arguments: positional-only parameters and `*args` are named in it too."""
    code = function.__code__
    if not code.co_posonlyargcount and not code.co_flags & _CO_VARARGS:
        return (), given
    given = dict(given)
    positional = []
    rest = given.pop(_rest_name(code), ()) if code.co_flags & _CO_VARARGS else ()
    last = code.co_argcount if rest else code.co_posonlyargcount
    defaults = dict(zip(reversed(code.co_varnames[: code.co_argcount]), reversed(function.__defaults__ or ())))
    for name in code.co_varnames[:last]:
        if name in given:
            positional.append(given.pop(name))
        elif name in defaults:
            positional.append(defaults[name])
        else:
            break
    return (*positional, *rest), given


def _rest_name(code):
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
