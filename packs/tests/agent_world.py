"""A small brain in plain Python, for the agent's functions: drafts, checks, proposals, runs, search and stored values.

It does what the server does as far as the loop can tell the difference, so that the loop is tested without a server. The
language model is whatever callable it is given.
"""

import ast
import builtins
import contextlib
import copy
import json
import re
import signal
import sys
import types
from unittest import mock

import pack_files


class Refused(PermissionError):
    pass


class Failed(RuntimeError):
    pass


class BudgetExhausted(RuntimeError):
    pass


class TooLong(Exception):
    pass


# What the server's packages and modules would offer to functions that are stored here.
ALWAYS = set(dir(builtins)) | {"__name__", "__doc__", "__file__"}
KINDS = {"int": "integer", "float": "number", "str": "string", "bool": "boolean", "list": "array", "dict": "object"}


class Stored:
    """A function, read from its source as the server reads it."""

    def __init__(self, source):
        tree = ast.parse(source)
        self.source = source
        self.definition = next(node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
        self.name = self.definition.name
        self.declared = {}
        for decorator in self.definition.decorator_list:
            self.declared = {one.arg: ast.literal_eval(one.value) for one in getattr(decorator, "keywords", [])}
        self.definition.decorator_list = []
        self.rest = [node for node in tree.body if node is not self.definition and not is_selfmade(node)]
        self.description = (ast.get_docstring(self.definition) or "").partition("\n")[0]
        arguments = self.definition.args
        names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        optional = len(arguments.defaults)
        self.input = {
            "properties": {one.arg: kind(one.annotation) for one in names},
            "required": [one.arg for one in names[: len(names) - optional]],
        }
        self.code = compile(ast.Module([*self.rest, self.definition], []), f"{self.name}", "exec")

    def free(self):
        """Names that it does not define itself."""
        nodes = [node for top in [*self.rest, self.definition] for node in ast.walk(top)]
        own = {self.name} | {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                own |= {(one.asname or one.name).partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ExceptHandler) and node.name:
                own.add(node.name)
        return {node.id for node in nodes if isinstance(node, ast.Name)} - own - ALWAYS

    def read(self):
        grants = {name: self.declared[name] for name in ("network", "secrets", "model", "brain", "files", "storage") if name in self.declared}
        bare = ast.unparse(ast.Module([*self.rest, self.definition], []))
        return {
            "name": self.name, "source": bare + "\n", "description": self.description, "input": self.input, "output": kind(self.definition.returns),
            "grants": grants, "tests": self.declared.get("tests", []), "dependencies": [], "version": 1,
        }  # fmt: skip


def is_selfmade(node):
    return isinstance(node, ast.Import) and [one.name for one in node.names] == ["selfmade"]


def kind(annotation):
    name = annotation.id if isinstance(annotation, ast.Name) else getattr(getattr(annotation, "value", None), "id", "")
    return {"type": KINDS[name]} if name in KINDS else {}


class Brain:
    """What `build` and the others talk to. `policy` is `auto` or `ask`; `mutants` may be a gate of its own."""

    def __init__(self, model, policy="auto", gates=(), seconds=2.0):
        self.model, self.policy, self.gates, self.seconds = model, policy, gates, seconds
        self.functions, self.drafts, self.values, self.logged, self.asked, self.proposed = {}, {}, {}, [], [], []
        self.answers, self.runs, self.clock, self.changesets, self.tools = [], [], 1000.0, 0, {}
        self.module = self.host()

    # What people do.

    def add(self, source):
        stored = Stored(source)
        self.functions[stored.name] = stored
        return stored

    def call(self, name, *args, **named):
        """Calls a function of the pack as a run of its own: it has no drafts at first, and leaves none."""
        self.drafts = {}
        with self.installed():
            try:
                return PACK[name](*args, **named)
            finally:
                self.drafts = {}

    @contextlib.contextmanager
    def installed(self):
        with mock.patch.dict(sys.modules, {"selfmade": self.module}):
            yield

    def events(self, kind):
        return [line for line in self.logged if line["agent"] == kind]

    # What functions ask of the server.

    def host(self):
        module = types.ModuleType("selfmade")
        module.Refused, module.Failed, module.BudgetExhausted = Refused, Failed, BudgetExhausted
        module.log, module.now, module.ask, module.run = self.logged.append, lambda: self.clock, self.ask, self.run
        module.model = types.SimpleNamespace(chat=self.chat, embed=lambda request: self.model.embed(request))
        module.brain = types.SimpleNamespace(
            list=self.list, search=self.search, read=self.read, draft=self.draft, check=self.check, propose=self.propose
        )
        module.storage = types.SimpleNamespace(get=self.get, set=self.set, list=self.keys)
        module.tools = types.SimpleNamespace(list=lambda: [{"name": name, "description": "", "parameters": {}} for name in self.tools], call=self.tool)
        return module

    def chat(self, messages, model="strong", tools=None, schema=None, max_tokens=None, temperature=None):
        # What is sent must be JSON, and must not be changed by whoever answers.
        reply = self.model(json.loads(json.dumps(messages)), schema=schema, tools=tools, role=model)
        if isinstance(reply, str):
            reply = {"text": reply}
        words = sum(len(message.get("content") or "") for message in messages) // 4
        usage = {"input": words, "cached": 0, "output": len(reply.get("text") or "") // 4, "cost": 0}
        message = {"role": "assistant", "content": reply.get("text") or "", "tool_calls": reply.get("tool_calls", [])}
        return {"text": "", "ending": "done", "tool_calls": [], "message": message, "usage": usage, "notes": [], **reply}

    def tool(self, name, arguments):
        return self.tools[name](**arguments)

    def ask(self, question, options=None):
        self.asked.append(question)
        return self.answers.pop(0)

    def get(self, key, default=None, scope="function"):
        return copy.deepcopy(self.values.get((scope, key), default))

    def set(self, key, value=None, scope="function"):
        self.values[scope, key] = json.loads(json.dumps(value))

    def keys(self, after=None, limit=200, scope="function"):
        return sorted(key for where, key in self.values if where == scope and key > (after or ""))[:limit]

    def list(self, after=None, limit=200):
        names = sorted(name for name in self.functions if name > (after or ""))[: int(limit)]
        return [{"name": name, "description": self.functions[name].description} for name in names]

    def search(self, query, limit=10):
        wanted = words(query)
        scores = []
        for name, stored in self.functions.items():
            known = words(f"{name} {name} {stored.description}")
            score = sum(1 / (1 + self.spread(word)) for word in wanted if word in known)
            if score:
                scores.append((-score, name))
        return [{"name": name, "description": self.functions[name].description} for _, name in sorted(scores)[: int(limit)]]

    def spread(self, word):
        return sum(word in words(f"{name} {stored.description}") for name, stored in self.functions.items())

    def read(self, name):
        found = self.drafts.get(name) or self.functions.get(name)
        if found is None:
            raise Failed(f"there is no function `{name}`")
        return found.read()

    def draft(self, source, name=None):
        try:
            stored = Stored(source)
        except (SyntaxError, ValueError, StopIteration) as error:
            raise Failed(f"the source of `{name}` is no Python: {error}") from None
        if name and name in self.functions:
            stored.declared = {**self.functions[name].declared, **stored.declared}
        self.drafts[name or stored.name] = stored
        return stored.read()

    def check(self):
        if not self.drafts:
            raise Refused("nothing is drafted; call `brain.draft(source)` first")
        findings = {"names": [], "tests": [], **{gate: [] for gate, _ in self.gates}}
        for name, stored in self.drafts.items():
            known = set(self.functions) | set(self.drafts)
            unknown = sorted(stored.free() - known)
            findings["names"] += [{"message": f"`{one}` is not known", "entry": name} for one in unknown]
            if not unknown:
                findings["tests"] += list(self.failing(name, stored))
            for gate, judge in self.gates:
                findings[gate] += [{"message": message} for message in judge(self, stored)]
        return [{"gate": gate, "verdict": "failed" if found else "passed", "findings": found} for gate, found in findings.items()]

    def failing(self, name, stored):
        for number, test in enumerate(stored.declared.get("tests", []), start=1):
            try:
                got = {"output": PACK["tag_value"](self.execute(name, test["input"]))}
            except Exception as error:
                got = {"error": type(error).__name__, "message": str(error)}
            if not PACK["meets_expectation"](test["expect"], got):
                yield {"message": f"test {number} fails: {json.dumps(got)}", "entry": name}

    def propose(self, title=None):
        checks = self.check()
        self.changesets += 1
        failed = any(check["verdict"] == "failed" for check in checks)
        grants = any(stored.read()["grants"] for stored in self.drafts.values())
        state = "checked" if failed or grants or self.policy == "ask" else "applied"
        self.proposed.append({"changeset": self.changesets, "title": title, "state": state, "sources": {name: one.source for name, one in self.drafts.items()}})
        if state == "applied":
            self.functions |= self.drafts
        self.drafts = {}
        return {"changeset": self.changesets, "state": state, "checks": checks}

    def run(self, name, **given):
        self.runs.append(name)
        if name in PACK and name not in self.functions:
            drafts, self.drafts = self.drafts, {}
            try:
                return PACK[name](**given)
            finally:
                self.drafts = drafts
        if name not in self.drafts and name not in self.functions:
            raise Failed(f"there is no function `{name}`")
        try:
            return self.execute(name, given)
        except Exception as error:
            ended = "TimedOut" if isinstance(error, TooLong) else type(error).__name__
            text = "it took too long" if isinstance(error, TooLong) else str(error)
            prefix = f"the draft of `{name}`" if name in self.drafts else f"`{name}`"
            raise Failed(f"{prefix} failed: {ended}: {text}") from None

    def execute(self, name, given):
        function = self.load(name, {})
        given = copy.deepcopy(given)

        def late(*_):
            raise TooLong

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            return function(**given)
        except RecursionError:
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def load(self, name, loaded):
        if name not in loaded:
            stored = self.drafts.get(name) or self.functions[name]
            scope = {"__name__": name}
            exec(stored.code, scope)
            loaded[name] = scope[stored.name]
            for free in stored.free():
                if free in self.drafts or free in self.functions:
                    scope[free] = self.load(free, loaded)
        return loaded[name]


def words(text):
    """Words without their endings."""
    found = set()
    for word in re.findall(r"[a-z0-9]+", text.lower().replace("_", " ")):
        for ending in ("ing", "ies", "es", "ed", "s", "e"):
            if word.endswith(ending) and len(word) > len(ending) + 2:
                word = word[: -len(ending)]
                break
        if word not in ("a", "an", "the", "of", "in", "is", "it", "to", "and", "or", "that", "which", "for", "with", "give", "given", "return", "python", "function"):
            found.add(word)
    return found


def load_pack():
    """The functions of the pack `agent`, which see each other as in a cell."""
    scope = {}
    # The files import it at the top for their decorators.
    with mock.patch.dict(sys.modules, {"selfmade": types.ModuleType("selfmade")}):
        for function in pack_files.functions():
            if function.pack == "agent":
                function.alone(scope)
    return scope


PACK = load_pack()
