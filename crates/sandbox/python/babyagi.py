"""What BabyAGI's functions find in their scope besides what they declare: `func`, the framework as far as a cell has one.

Calls of stored functions go to what the run has loaded, recorded like any other call; the rest is asked of the host, which
decides. What BabyAGI's framework does to keys and logs is not done here, and says so.
"""

import sys


class Func:
    """`func`: stored functions as attributes, and BabyAGI's questions about them."""

    def __init__(self, loaded):
        self._loaded = loaded
        self.executor = self.registrar = self
        self.db = Db(self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._loaded(name) or _stored(name)

    def execute_function(self, function_name, /, *args, parent_log_id=None, **kwargs):
        return getattr(self, function_name)(*args, **kwargs)

    execute = execute_function

    def get_function(self, name):
        return _host().babyagi.get_function(name)

    def get_function_versions(self, name):
        return _host().babyagi.get_function_versions(name)

    def get_all_functions(self):
        ask, found, after = _host().babyagi.get_functions, [], None
        while page := ask(after):
            found += page
            after = page[-1]["name"]
        return found

    def get_function_imports(self, name):
        return _host().babyagi.get_function_imports(name)

    def get_all_imports(self):
        return _host().babyagi.get_all_imports()

    def get_triggers_for_function(self, function_name):
        """The functions after which this one runs."""
        return _host().babyagi.get_triggers(function_name)

    def display(self):
        return "\n\n".join(_displayed(one) for one in self.get_all_functions())

    def add_function(self, name, code, **stated):
        _changed(f"`{name}`", _host().babyagi.add_function(name, _stated(code=code, **stated)))

    def update_function(self, name, **stated):
        _changed(f"the change of `{name}`", _host().babyagi.update_function(name, _stated(**stated)))

    def activate_function_version(self, name, version):
        _changed(f"version {version} of `{name}`", _host().babyagi.activate_function_version(name, version))

    def add_trigger(self, triggered_function_name, triggering_function_name=None):
        made = _host().babyagi.add_trigger(triggered_function_name, triggering_function_name)
        _changed(f"the trigger of `{triggered_function_name}`", made)

    def add_key(self, name, value):
        raise _host().Refused(f"a function cannot set secrets; set `{name}` with `selfmade secret set {name}`")

    def get_all_secret_keys(self):
        raise _host().Refused("a function gets the secrets it declares in `key_dependencies` and no others")

    def _not_here(self, *args, **kwargs):
        raise _host().Refused("this is done from outside: by a program with a token, or with `selfmade runs`, `selfmade fn` and `selfmade pack`")

    get_logs = get_log_bundle = register_function = load_function_pack = load_functions_from_file = _not_here


class Db:
    """`func.db`: the same, and what only the database has."""

    def __init__(self, func):
        self._func = func
        self.add_secret_key, self.get_secret_key = func.add_key, func.get_all_secret_keys

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._func, name)

    def get_triggers_for_function(self, function_name):
        """The functions that run after this one: the other way round than in `func`."""
        return _host().babyagi.get_triggered(function_name)

    def remove_function(self, name):
        _changed(f"the end of `{name}`", _host().babyagi.remove_function(name))

    def add_log(self, *args, **kwargs):
        """Runs are recorded anyway, so what functions log of themselves is passed over."""
        return 0

    update_log = update_log_params = add_log

    def add_import(self, name, source, lib=None):
        """Imports belong to functions, which declare them."""

    def session_scope(self):
        self._func._not_here()


def _host():
    return sys.modules["selfmade"]


def _stored(name):
    """A function that the run did not load: it gets a run of its own."""

    def call(*args, **kwargs):
        return _host().babyagi.run(name, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _stated(**stated):
    known = ("code", "metadata", "imports", "dependencies", "triggers", "key_dependencies")
    # What a source takes and gives is read from the source.
    return {name: value for name, value in stated.items() if name in known and value is not None}


def _changed(what, made):
    if made["applied"]:
        return
    if made["problems"]:
        raise ValueError(f"{what} is refused: {'; '.join(made['problems'])}")
    raise _host().Refused(f"{what} is proposed as changeset {made['changeset']} and waits for a person to apply it")


def _displayed(one):
    lines = [f"{one['name']}, version {one['version']} of {one['created_date']}", f"  metadata: {one['metadata']}"]
    lines += [f"  {what}: {', '.join(one[what])}" for what in ("dependencies", "imports", "triggers") if one[what]]
    for what in ("input_parameters", "output_parameters"):
        listed = ", ".join(f"{each['name']} ({each['type']})" for each in one[what])
        lines.append(f"  {what}: {listed or 'none'}")
    return "\n".join([*lines, one["code"]])
