"""Who is measured: our agent, and what it is compared with, each over the same brain in plain Python."""

import json
import pathlib
import re
import sys
import time
from dataclasses import dataclass, field

from humaneval import limited, plain

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "packs/tests"))

from agent_world import PACK, Brain  # noqa: E402


@dataclass
class Result:
    """What came of one request."""

    outcome: str = "failed"
    function: str = ""
    # Called with the arguments of the request's task, in order; none if nothing was given back.
    call: object = None
    tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    attempts: list[dict] = field(default_factory=list)
    # The own share: all but the model's answers.
    engine: float = 0.0


class Counting:
    """Asks the oracle, and counts."""

    def __init__(self, oracle):
        self.oracle, self.seconds = oracle, 0.0

    def __call__(self, messages, **more):
        begun = time.perf_counter()
        try:
            return self.oracle(messages, **more)
        finally:
            self.seconds += time.perf_counter() - begun


def calling(brain, name, order):
    """A stored function as it is now, called with arguments in the order of the request."""
    stored = dict(brain.functions)

    def call(*args):
        held, brain.functions = brain.functions, stored
        try:
            return brain.load(name, {})(**order(args))
        finally:
            brain.functions = held

    return call


class Ours:
    """The pack `agent`."""

    title = "selfmade"

    def __init__(self, oracle, **more):
        self.model = Counting(oracle)
        self.brain = Brain(self.model, gates=[("twins", twins)], seconds=0.3)
        self.more = more

    def __call__(self, request):
        for source in request.planted:
            self.brain.add(source)
        before, begun = self.model.seconds, time.perf_counter()
        account = self.brain.call("build", request.goal, request.examples, **self.more)
        seconds = time.perf_counter() - begun
        name, way = account["function"], account["arguments"]
        spent = account["spent"]
        result = Result(account["outcome"], name, None, spent.get("input", 0) + spent.get("output", 0), spent.get("calls", 0), seconds)
        result.attempts, result.engine = account["attempts"], seconds - (self.model.seconds - before)
        if name and account["outcome"] in ("applied", "reused"):
            names = request.task.parameters
            own = self.brain.functions[name].input["required"]
            if way:
                places = {one: int(key) if str(key).isdigit() else names.index(key) for one, key in way.items()}
                result.call = calling(self.brain, name, lambda args: {one: args[place] for one, place in places.items()})
            else:
                result.call = calling(self.brain, name, lambda args: dict(zip(own, args)))
        return result


def twins(brain, stored):
    """The gate of that name: a stored function with as many parameters returns the same on all inputs of both."""
    mine = list(stored.input["properties"])
    tests = [list(test["input"].values()) for test in stored.declared.get("tests", [])]
    for name, other in brain.functions.items():
        if name == stored.name or len(other.input["properties"]) != len(mine):
            continue
        theirs = [list(test["input"].values()) for test in other.declared.get("tests", [])]
        inputs = [*tests[:10], *theirs[:10]]
        inputs = [given for place, given in enumerate(inputs) if given not in inputs[:place] and len(given) == len(mine)]
        if is_same(brain, stored.name, name, inputs):
            return [f"`{name}` returns the same on {len(inputs)} inputs"]
    return []


def is_same(brain, one, two, inputs):
    """Whether two functions return the same for at least three inputs, and not always the same."""
    seen = set()
    for given in inputs:
        got = outcome(brain, one, given)
        if got.startswith("!") or got != outcome(brain, two, given):
            return False
        seen.add(got)
    return len(inputs) >= 3 and len(seen) >= 2


def outcome(brain, name, given):
    names = list((brain.drafts.get(name) or brain.functions[name]).input["properties"])
    try:
        return json.dumps(plain(brain.execute(name, dict(zip(names, given)))))
    except Exception as error:
        return f"!{type(error).__name__}"


class Asking:
    """What the baselines share: one prompt, one answer."""

    def __init__(self, oracle):
        self.model = Counting(oracle)

    def write(self, request, result, stored=""):
        task = request.task
        signature = f"def {task.name}({', '.join(task.parameters)})"
        text = f"Write a Python function.\n{stored}{request.goal}\n" + "\n".join(request.examples) + f"\n<<<signature\n{signature}\nsignature>>>"
        answer = self.model([{"role": "system", "content": ""}, {"role": "user", "content": text}])
        result.calls += 1
        result.tokens += (len(text) + len(answer)) // 4
        found = re.search(r"```python\n(.*?)```", answer, re.DOTALL)
        return found[1] if found else ""

    @staticmethod
    def load(source, name):
        scope = {}
        try:
            exec(compile(source, name, "exec"), scope)
        except Exception:
            return None
        return scope.get(name)

    @staticmethod
    def passes(function, request):
        for shown in request.examples:
            parsed = PACK["parse_example"](shown)
            try:
                got = limited(function, *parsed["args"], seconds=0.3)
            except Exception:
                return False
            if not PACK["same_value"](PACK["tag_value"](plain(got)), parsed["expect"]["output"]):
                return False
        return True


class BestOf(Asking):
    """No library: candidates are written until one reproduces the examples, for as many tokens as ours had for this request."""

    title = "no library, best of N"

    def __call__(self, request, allowance):
        begun, result = time.perf_counter(), Result()
        while result.calls == 0 or result.tokens < allowance and result.calls < 20:
            function = self.load(self.write(request, result), request.task.name)
            if function:
                result.outcome, result.function, result.call = "applied", request.task.name, function
                if self.passes(function, request):
                    break
        result.seconds = time.perf_counter() - begun
        return result


class Ungated(Asking):
    """A library without gates: the first function whose words fit is reused, what is written is stored if it can be loaded."""

    title = "library, no gates"

    def __init__(self, oracle):
        super().__init__(oracle)
        self.brain = Brain(None, seconds=0.3)

    def __call__(self, request, allowance):
        begun, result = time.perf_counter(), Result()
        for source in request.planted:
            self.brain.add(source)
        found = self.offered(request)
        text = f"<<<functions\n{found}functions>>>\n<<<goal\n{request.goal}\ngoal>>>"
        answer = json.loads(self.model([{}, {"role": "user", "content": text}], schema={"title": "choice"}))
        result.calls, result.tokens = 1, (len(text) + 100) // 4
        name = answer["function"] if answer["function"] in self.brain.functions else ""
        result.outcome = "reused" if name else "applied"
        if not name:
            source = self.write(request, result)
            try:
                name = self.brain.add(source).name
            except (SyntaxError, StopIteration):
                result.outcome = "failed"
        if name:
            own = self.brain.functions[name].input["required"]
            result.function = name
            result.call = calling(self.brain, name, lambda args: dict(zip(own, args)))
        result.seconds = time.perf_counter() - begun
        return result

    def offered(self, request):
        found = [self.brain.functions[one["name"]] for one in self.brain.search(request.goal, 10)]
        return "".join(f"{one.name}(): {one.description}\n" for one in found)


class AllListed(Ungated):
    """A library without search: every function with its code in each prompt, as BabyAGI's `choose_function` does."""

    title = "all listed, as BabyAGI does"

    def offered(self, request):
        return "".join(f"{name}():\n{stored.source}\n" for name, stored in self.brain.functions.items())
