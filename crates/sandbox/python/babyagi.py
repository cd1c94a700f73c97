"""What BabyAGI's functions find in their scope besides what they declare: `func`, the framework as far as a cell has one.

Calls of stored functions go to what the run has loaded, recorded like any other call; the rest is asked of the host, which
decides. What BabyAGI's framework does to keys and logs is not done here, and says so.
"""

import sys

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}


class Func:
    """`func`: stored functions as attributes, and BabyAGI's questions about them."""

    def __init__(self, loaded):
        self._loaded = loaded
        self.db = self.executor = self.registrar = self

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._loaded(name) or _stored(name)

    def execute_function(self, function_name, /, *args, parent_log_id=None, **kwargs):
        return getattr(self, function_name)(*args, **kwargs)

    execute = execute_function

    def get_function(self, name):
        host = _host()
        try:
            return _as_babyagi(host.brain.read(name))
        except host.Failed:
            return None

    def get_function_versions(self, name):
        found = self.get_function(name)
        return [{**found, "is_active": True}] if found else []

    def get_all_functions(self):
        brain, found, after = _host().brain, [], None
        while page := brain.list(after=after):
            found += [_as_babyagi(brain.read(one["name"])) for one in page]
            after = page[-1]["name"]
        return found

    def get_function_imports(self, name):
        return (self.get_function(name) or {}).get("imports", [])

    def display(self):
        return "\n".join(f"{one['name']} (version {one['version']}): {one['metadata']['description']}\n{one['code']}" for one in self.get_all_functions())

    def add_function(self, name, code, **stated):
        """Proposes it; what happens to proposals is decided outside. Says whether it is part of the brain now."""
        brain = _host().brain
        brain.draft(code, name=name)
        return brain.propose(title=f"add {name}")["state"] == "applied"

    def add_key(self, name, value):
        raise _host().Refused(f"a function cannot set secrets; set `{name}` with `selfmade secret set {name}`")

    def get_all_secret_keys(self):
        raise _host().Refused("a function gets the secrets it declares in `key_dependencies` and no others")

    def add_log(self, *args, **kwargs):
        """Runs are recorded anyway, so what functions log of themselves is passed over."""
        return 0

    update_log = update_log_params = add_log

    def _not_here(self, *args, **kwargs):
        raise _host().Refused("this is done from outside, with the commands `selfmade fn`, `selfmade runs` and `selfmade pack`")

    get_logs = get_log_bundle = _not_here
    register_function = update_function = activate_function_version = remove_function = _not_here
    add_trigger = get_triggers_for_function = add_import = get_all_imports = _not_here
    load_function_pack = load_functions_from_file = session_scope = _not_here


def _host():
    return sys.modules["selfmade"]


def _stored(name):
    """A function that the run did not load: it gets a run of its own."""

    def call(*args, **kwargs):
        return _host().run(name, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _as_babyagi(found):
    """The dict that BabyAGI's `get_function` gives."""
    given = (found["input"] or {}).get("properties", {})
    return {
        "name": found["name"],
        "version": found["version"],
        "code": found["source"],
        "metadata": {"description": found["description"] or ""},
        "dependencies": [one["function"] for one in found["dependencies"]],
        "imports": [one["package"] for one in found["requirements"]],
        "input_parameters": [{"name": name, "type": _TYPES.get(schema.get("type"), "Any")} for name, schema in given.items()],
        "output_parameters": [{"name": "output", "type": _TYPES.get((found["output"] or {}).get("type"), "Any")}],
        "triggers": [],
    }
