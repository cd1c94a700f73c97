"""Let a brain grow and stay in order: work for a role, descriptions, better versions, twins. All of it as proposals.

The names that BabyAGI's users know do what they did there, through the same Checks as everything else.
"""

import ast
import hashlib
import json
from typing import Any

import selfmade


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {"user_input": "How many words has 'a b'?"},
            "mocks": [{"function": "do", "output": {"outcome": "reused", "function": "word_count", "result": 2, "error": "", "says": ""}}],
            "expect": {"output": 2},
        },
        {
            "name": "what was not done is an error",
            "input": {"user_input": "Fly."},
            "mocks": [{"function": "do", "output": {"outcome": "failed", "function": "", "result": None, "error": "no wings", "says": "Nothing was changed: no wings."}}],
            "expect": {"error": {"type": "RuntimeError", "message": "no wings"}},
        },
    ],
)
def process_user_input(user_input: str) -> Any:
    """Do what somebody asks, with a stored function or a new one, and return its result.

    Args:
        user_input: What shall be done, in plain words, with its data.
    """
    done = do(user_input)
    if done["error"]:
        raise RuntimeError(f"{done['error']} ({done['says']})")
    return done["result"]


@selfmade.function(
    model=True,
    brain="read",
    tests=[
        {
            "input": {"prompt": "Double n."},
            "mocks": [
                {"function": "find_candidates", "output": [{"name": "double", "grants": {}}]},
                {"function": "choose", "output": {"decision": "reuse", "function": "double", "uses": [], "why": "it does"}},
            ],
            "expect": {"output": {"function": "double", "why": "it does", "candidates": ["double"]}},
        },
        {
            "name": "none fits",
            "input": {"prompt": "Fly."},
            "mocks": [{"function": "find_candidates", "output": []}],
            "expect": {"output": {"function": "", "why": "nothing like it is stored", "candidates": []}},
        },
    ],
)
def choose_function(prompt: str) -> dict[str, Any]:
    """Choose the stored function that does what is asked, among the few that a search finds; the name is empty if none does.

    Args:
        prompt: What is wanted.
    """
    found = find_candidates(prompt)
    chosen = choose(prompt, found)
    return {"function": chosen["function"], "why": chosen["why"], "candidates": [function["name"] for function in found]}


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {"user_input": "How many words has 'a b'?"},
            "mocks": [
                {"function": "do", "output": {"outcome": "reused", "function": "word_count", "input": {"text": "a b"}, "result": 2, "error": "", "says": "it is there"}}
            ],
            "expect": {
                "output": {
                    "intermediate_steps": [
                        {"step": "reused", "content": "it is there"},
                        {"step": "word_count", "content": {"text": "a b"}},
                    ],
                    "execution_result": 2,
                }
            },
        },
        {
            "name": "an error is told",
            "input": {"user_input": "Fly."},
            "mocks": [{"function": "do", "output": {"outcome": "failed", "function": "", "input": {}, "result": None, "error": "no wings", "says": "no"}}],
            "expect": {"output": {"intermediate_steps": [{"step": "failed", "content": "no"}, {"step": "", "content": {}}], "error": "no wings"}},
        },
    ],
)
def choose_or_create_function(user_input: str) -> dict[str, Any]:
    """Do what somebody asks, with a stored function or a new one, and return the steps and the result.

    Args:
        user_input: What shall be done, in plain words, with its data.
    """
    done = do(user_input)
    steps = [{"step": done["outcome"], "content": done["says"]}, {"step": done["function"], "content": done["input"]}]
    ended = {"error": done["error"]} if done["error"] else {"execution_result": done["result"]}
    return {"intermediate_steps": steps, **ended}


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {"role": "a shop", "n": 2},
            "mocks": [{"function": "ask_json", "output": {"tasks": ["Sum an order.", "Sum an order.", "Format a price.", "Third."]}}],
            "expect": {"output": ["Sum an order.", "Format a price."]},
        },
        {"name": "none are wanted", "input": {"role": "a shop", "n": 0}, "expect": {"output": []}},
    ],
)
def imagine_tasks(role: str, n: int = 3, spent: dict[str, Any] | None = None) -> list[str]:
    """Think of different small tasks that somebody in a role has, each one that a function can do.

    Args:
        role: Who it is, in plain words.
        n: How many, at most 20.
        spent: Counts calls and tokens; it is changed in place.
    """
    if n < 1:
        return []
    n = min(n, 20)
    system = (
        f"{common_rules()}\n\nList different small tasks of the person described, each of which one Python function can do from its "
        "arguments alone, without network, files or other people. One sentence each, beginning with a verb, without data."
    )
    fields = {"tasks": {"type": "array", "items": {"type": "string"}}}
    schema = {"title": "tasks", "type": "object", "properties": fields, "required": ["tasks"], "additionalProperties": False}
    answer = ask_json(system, f"{fence('person', role)}\nHow many: {n}", schema, "strong", spent, 1500)
    tasks = [clean_text(task, 300).strip() for task in answer["tasks"]]
    return list(dict.fromkeys(task for task in tasks if task))[:n]


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {"user_description": "a shop", "X": 1},
            "mocks": [
                {"function": "imagine_tasks", "output": ["Sum an order."]},
                {"function": "run", "output": {"outcome": "applied", "function": "sum_order", "says": "stored", "changeset": 3}},
            ],
            "expect": {
                "output": [{"query": "Sum an order.", "output": {"outcome": "applied", "function": "sum_order", "says": "stored", "changeset": 3}}]
            },
        },
        {"name": "nothing to do", "input": {"user_description": "a shop", "X": 0}, "expect": {"output": []}},
    ],
)
def self_build(user_description: str, X: int = 3, most_calls: int = 40) -> list[dict[str, Any]]:
    """Think of tasks for a role and build a function for each, every one a proposal of its own.

    Args:
        user_description: The role, in plain words.
        X: How many tasks, at most 20.
        most_calls: The most calls of a language model for each.
    """
    from selfmade import run

    results = []
    for task in imagine_tasks(user_description, X):
        try:
            # Each build is a run of its own: what one drafts, another does not propose.
            ended = run("build", goal=task, most_calls=most_calls)
            told = {name: ended[name] for name in ("outcome", "function", "says", "changeset")}
            results.append({"query": task, "output": told})
        except (RuntimeError, PermissionError) as error:
            results.append({"query": task, "output": None, "error": clean_text(str(error), 500)})
            if classify_failure(type(error).__name__, str(error)) == "budget":
                break
    return results


@selfmade.function(
    tests=[
        {
            "input": {"source": "def f(n):\n    # why\n    return n\n", "name": "f", "description": "Return n."},
            "expect": {"output": 'def f(n):\n    """Return n."""\n    # why\n    return n\n'},
        },
        {
            "name": "all in one line",
            "input": {"source": "def f(n): return n\n", "name": "f", "description": "Return n."},
            "expect": {"output": 'def f(n):\n    """Return n."""\n    return n\n'},
        },
        {
            "name": "one that is described stays",
            "input": {"source": 'def f(n):\n    "Mine."\n    return n\n', "name": "f", "description": "Return n."},
            "expect": {"output": 'def f(n):\n    "Mine."\n    return n\n'},
        },
    ],
)
def add_docstring(source: str, name: str, description: str) -> str:
    """Add a docstring to a function that has none; nothing else of the source changes.

    Args:
        source: The source.
        name: The function.
        description: The docstring, one line.
    """
    node = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (node.name == name or name.endswith(f".{node.name}"))
    )
    if ast.get_docstring(node) is not None:
        return source
    text = description.strip().replace("\\", "\\\\").replace('"', "'").replace("\n", " ")
    lines, first = source.split("\n"), node.body[0]
    if first.lineno == node.lineno or lines[first.lineno - 1][: first.col_offset].strip():
        row = lines[first.lineno - 1]
        indent = " " * (node.col_offset + 4)
        # Columns of the syntax tree count bytes.
        cut = len(row.encode()[: first.col_offset].decode())
        lines[first.lineno - 1 : first.lineno] = [row[:cut].rstrip(), f'{indent}"""{text}"""', indent + row[cut:]]
        return "\n".join(lines)
    place = first.lineno - 1
    # Comments above the first statement stay below the docstring.
    while lines[place - 1].lstrip().startswith("#"):
        place -= 1
    lines.insert(place, f'{" " * first.col_offset}"""{text}"""')
    return "\n".join(lines)


@selfmade.function(
    model=True,
    brain="propose",
    timeout=3600,
    tests=[
        {
            "input": {},
            "mocks": [
                {"function": "brain.list", "output": [{"name": "f", "description": ""}, {"name": "g", "description": "Good."}]},
                {"function": "brain.read", "output": {"name": "f", "source": "def f(n):\n    return n\n", "input": {}}},
                {"function": "ask_json", "output": {"description": "Return what it is given."}},
                {"function": "brain.draft", "output": {"name": "f"}},
                {"function": "brain.propose", "output": {"changeset": 4, "state": "checked", "checks": []}},
            ],
            "expect": {"output": {"described": {"f": "Return what it is given."}, "changeset": 4, "state": "checked", "problems": []}},
        },
        {
            "name": "all are described",
            "input": {},
            "mocks": [{"function": "brain.list", "output": [{"name": "g", "description": "Good."}]}],
            "expect": {"output": {"described": {}, "changeset": None, "state": "", "problems": []}},
        },
    ],
)
def describe_missing(limit: int = 20, spent: dict[str, Any] | None = None) -> dict[str, Any]:
    """Propose a description for functions that have none. Only a docstring is added; nothing is replaced.

    Args:
        limit: The most functions to describe.
        spent: Counts calls and tokens; it is changed in place.
    """
    from selfmade import brain

    described: dict[str, str] = {}
    problems: list[str] = []
    after, more = None, True
    while more and len(described) < limit:
        page = brain.list(after=after, limit=200)
        more = len(page) == 200
        for entry in page:
            after = entry["name"]
            if (entry.get("description") or "").strip() or len(described) == limit:
                continue
            function = brain.read(entry["name"])
            system = f"{common_rules()}\n\nDescribe a function in one sentence of at most fifteen words that begins with a verb and says what it returns."
            fields = {"description": {"type": "string"}}
            schema = {"title": "description", "type": "object", "properties": fields, "required": ["description"], "additionalProperties": False}
            request = fence("function", function["source"], 8000)
            try:
                told = clean_text(ask_json(system, request, schema, "fast", spent, 200)["description"], 200).replace("\n", " ")
                brain.draft(add_docstring(function["source"], entry["name"], told), entry["name"])
                described[entry["name"]] = told
            except (ValueError, StopIteration, SyntaxError) as error:
                problems.append(f"`{entry['name']}`: {clean_text(str(error), 200)}")
    if not described:
        return {"described": {}, "changeset": None, "state": "", "problems": problems}
    proposed = brain.propose(f"describe {len(described)} functions")
    report_progress("proposal", {"changeset": proposed["changeset"], "state": proposed["state"]})
    problems += failed_checks(proposed.get("checks") or [])
    return {"described": described, "changeset": proposed["changeset"], "state": proposed["state"], "problems": problems}


@selfmade.function(
    model=True,
    brain="read",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {},
            "mocks": [
                {"function": "brain.list", "output": [{"name": "double", "description": "Doubles."}]},
                {"function": "storage.get", "output": None},
                {"function": "model.embed", "output": {"data": [{"index": 0, "embedding": [0.5, 0.25]}], "model": "m"}},
                {"function": "storage.set", "output": None},
            ],
            "expect": {"output": {"embedded": 1, "kept": 0, "model": "m"}},
        },
        {
            "name": "what did not change is kept",
            "input": {},
            "mocks": [
                {"function": "brain.list", "output": [{"name": "double", "description": "Doubles."}]},
                {"function": "storage.get", "output": {"of": "e6c9a0b6", "vector": [1.0], "model": "m"}},
                {"function": "hash_text", "output": "e6c9a0b6"},
            ],
            "expect": {"output": {"embedded": 0, "kept": 1, "model": ""}},
        },
    ],
)
def embed_missing(limit: int = 1000, batch: int = 50) -> dict[str, Any]:
    """Compute embeddings of names and descriptions that have none yet or changed, and store them under `agent.embedding.NAME`.

    Args:
        limit: The most functions to look at.
        batch: How many texts are sent at once.
    """
    from selfmade import brain, model, storage

    waiting: list[tuple[str, str]] = []
    embedded = kept = 0
    used = ""

    def send(some: list[tuple[str, str]]) -> str:
        answer = model.embed({"input": [text for _, text in some]})
        vectors = {one["index"]: one["embedding"] for one in answer["data"]}
        for place, (name, text) in enumerate(some):
            vector = [round(number, 6) for number in vectors[place]]
            storage.set(f"agent.embedding.{name}", {"of": hash_text(text), "vector": vector, "model": answer.get("model", "")}, "brain")
        return answer.get("model", "")

    after, seen, more = None, 0, True
    while more and seen < limit:
        page = brain.list(after=after, limit=min(200, limit - seen))
        more = bool(page)
        for entry in page:
            after, seen = entry["name"], seen + 1
            text = f"{entry['name'].replace('_', ' ')}: {entry.get('description') or ''}"
            stored = storage.get(f"agent.embedding.{entry['name']}", None, "brain")
            if stored and stored["of"] == hash_text(text):
                kept += 1
            else:
                waiting.append((entry["name"], text))
        more = more and len(page) == 200
    for start in range(0, len(waiting), batch):
        used = send(waiting[start : start + batch])
        embedded += len(waiting[start : start + batch])
    return {"embedded": embedded, "kept": kept, "model": used}


@selfmade.function(
    tests=[
        {"input": {"text": "a"}, "expect": {"output": "ca978112"}},
        {"name": "nothing", "input": {"text": ""}, "expect": {"output": "e3b0c442"}},
    ],
)
def hash_text(text: str) -> str:
    """Work out a short hash of a text, to see whether it changed.

    Args:
        text: The text.
    """
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {"function": "double", "examples": ["double(n=2) => 4"]},
            "mocks": [
                {"function": "brain.read", "output": {"name": "double", "description": "Doubles.", "source": "def double(n):\n    return n\n", "input": {"properties": {"n": {}}}, "grants": {}, "tests": []}},
                {"function": "run_call", "output": {"output": 4}},
            ],
            "expect": {"output": {"outcome": "unchanged", "function": "double", "says": "`double` does all that already", "changeset": None, "problems": []}},
        },
        {
            "name": "something must be wrong with it",
            "input": {"function": "double"},
            "expect": {"error": {"type": "ValueError", "message": "say what to improve"}},
        },
    ],
)
def improve(
    function: str, complaint: str = "", examples: list[Any] | None = None, most_calls: int = 20
) -> dict[str, Any]:
    """Propose a better version of a function, from what is wrong with it. Its own tests must pass as before.

    Args:
        function: The function.
        complaint: What is wrong with it, in plain words: an error of a run, or that it is slow.
        examples: Calls with the results that they should have.
        most_calls: The most calls of a language model.
    """
    from selfmade import Failed, Refused, brain

    if not complaint.strip() and not examples:
        raise ValueError("say what to improve: give a `complaint`, or `examples` with the right results")
    stored = brain.read(function)
    names = list((stored.get("input") or {}).get("properties") or {})
    wanted = [name_arguments(parse_example(example), names) for example in examples or []]
    kept = [test for test in stored.get("tests") or [] if not test.get("mocks")]
    plain = [test for test in kept if "output" in test["expect"] or "error" in test["expect"]]
    spec = {
        "name": function,
        "goal": (stored.get("description") or function).strip(),
        "parameters": [{"name": name, "type": "Any", "about": ""} for name in names],
        "returns": "Any",
        "exact": [*plain, *wanted],
        "guessed": [],
        "grants": {},
    }
    wrong = [write_example(function, test) for test in wanted if not meets_expectation(test["expect"], run_call(function, test["input"]))]
    unchanged = {"outcome": "unchanged", "function": function, "says": f"`{function}` does all that already", "changeset": None, "problems": []}
    if not wrong and not complaint.strip():
        return unchanged
    spent: dict[str, Any] = {"most_calls": most_calls}
    problem = "\n".join([clean_text(complaint, 1000), *(f"{line} is wanted" for line in wrong)]).strip()
    code, outcome, why, tried = stored["source"], "failed", "", 0
    changed: dict[str, Any] = {"changeset": None, "problems": []}
    try:
        while tried < 3:
            tried += 1
            report_progress("repair", {"name": function, "candidate": 1, "round": tried, "problem": problem})
            code = repair(spec, code, problem, None, None, spent)
            report_progress("code", {"name": function, "candidate": 1, "code": code})
            try:
                # Drafted under its name and bare: grants, options and tests that are stored stay, and it brings none.
                brain.draft(bare_code(code), function)
                why = "\n".join(failed_checks(brain.check(), ["parses", "names", "types", "grants", "tests"]))
            except (Failed, Refused, ValueError) as error:
                why = str(error)
            bad = [] if why else [test for test in spec["exact"] if not meets_expectation(test["expect"], run_call(function, test["input"]))]
            why = why or (f"{write_example(function, bad[0])} was wanted" if bad else "")
            if not why:
                proposed = brain.propose(f"improve {function}")
                changed = {"changeset": proposed["changeset"], "problems": failed_checks(proposed.get("checks") or [])}
                outcome, why = "applied" if proposed["state"] == "applied" else "proposed", "its tests pass"
                report_progress("proposal", {"state": proposed["state"], **changed})
                break
            problem = why
    except (RuntimeError, PermissionError, ValueError) as error:
        why = str(error)
        outcome = "exhausted" if classify_failure(type(error).__name__, why) == "budget" else "failed"
    says = say_outcome(outcome, function, why, spent, changed["changeset"])
    report_progress("end", {"outcome": outcome, "function": function, "says": says})
    return {"outcome": outcome, "function": function, "says": says, **changed}


@selfmade.function(
    tests=[
        {"input": {"source": "def f(a):\n    'One.'\n    return a + 1\n"}, "expect": {"output": "def self(v1):\n    return v1 + 1"}},
        {"name": "another name, the same function", "input": {"source": "def g(b):\n    return b + 1\n"}, "expect": {"output": "def self(v1):\n    return v1 + 1"}},
    ],
)
def code_shape(source: str) -> str:
    """Write a function without its own names, types, comments and description, so that equal code is equal text.

    Args:
        source: The source of a function.
    """
    tree = ast.parse(source)
    node = next(node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or node.body
    own: dict[str, str] = {node.name: "self"}
    for one in ast.walk(node):
        if isinstance(one, ast.arg):
            one.annotation = None
            own.setdefault(one.arg, f"v{len(own)}")
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            own.setdefault(one.id, f"v{len(own)}")
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            one.id = own.get(one.id, one.id)
        elif isinstance(one, ast.arg):
            one.arg = own[one.arg]
    node.name, node.returns, node.decorator_list = "self", None, []
    return ast.unparse(node)


@selfmade.function(
    brain="propose",
    timeout=3600,
    tests=[
        {
            "input": {},
            "mocks": [
                {"function": "brain.list", "output": [{"name": "a"}]},
                {"function": "brain.read", "output": {"name": "a", "source": "def a(n):\n    return n\n", "grants": {}, "input": {}, "tests": []}},
            ],
            "expect": {"output": {"twins": [], "unused": ["a"], "changeset": None, "state": "", "problems": []}},
        },
        {
            "name": "an empty brain",
            "input": {},
            "mocks": [{"function": "brain.list", "output": []}],
            "expect": {"output": {"twins": [], "unused": [], "changeset": None, "state": "", "problems": []}},
        },
    ],
)
def tidy(pattern: str = "*", limit: int = 200, propose: bool = False) -> dict[str, Any]:
    """Find functions that do the same as another, and those that nothing calls; propose that twins call one of them.

    Args:
        pattern: Which names, with `*` for any part.
        limit: The most functions to look at.
        propose: Whether to propose it; without, it is only told.
    """
    import fnmatch

    from selfmade import brain

    functions: list[dict[str, Any]] = []
    after, more = None, True
    while more and len(functions) < limit:
        page = brain.list(after=after, limit=200)
        more = len(page) == 200
        for entry in page:
            after = entry["name"]
            if fnmatch.fnmatchcase(entry["name"], pattern) and len(functions) < limit:
                functions.append(brain.read(entry["name"]))
    called = {one["function"] for function in functions for one in function.get("dependencies") or []}
    shapes: dict[str, list[dict[str, Any]]] = {}
    for function in functions:
        properties = (function.get("input") or {}).get("properties") or {}
        kinds = [part.get("type") for part in properties.values()]
        if is_pure(function.get("grants")) and kinds:
            shapes.setdefault(json.dumps(kinds), []).append(function)
    twins: list[dict[str, Any]] = []
    gone: set[str] = set()
    for alike in shapes.values():
        for place, first in enumerate(alike):
            for second in alike[place + 1 :]:
                if first["name"] in gone or second["name"] in gone:
                    continue
                names = [list((one.get("input") or {}).get("properties") or {}) for one in (first, second)]
                tests = [(0, test) for test in first.get("tests") or []] + [(1, test) for test in second.get("tests") or []]
                inputs = [
                    [test["input"][name] for name in names[whose]]
                    for whose, test in tests
                    if not test.get("mocks") and set(test["input"]) == set(names[whose])
                ]
                why = "the same code" if code_shape(first["source"]) == code_shape(second["source"]) else ""
                distinct = [given for place, given in enumerate(inputs) if given not in inputs[:place]][:8]
                if not why and len(distinct) >= 3:
                    results = []
                    for given in distinct:
                        both = [run_call(one["name"], dict(zip(parts, given))) for one, parts in zip((first, second), names)]
                        results.append("output" in both[0] and "output" in both[1] and same_value(both[0]["output"], both[1]["output"]))
                        if not results[-1]:
                            break
                    why = f"equal results on {len(distinct)} inputs" if all(results) else ""
                if why:
                    # The one that others call stays, otherwise the one that was described first.
                    keep, drop = (second, first) if second["name"] in called and first["name"] not in called else (first, second)
                    gone.add(drop["name"])
                    order = [names[(keep is second)], names[(drop is second)]]
                    twins.append({"keep": keep["name"], "twin": drop["name"], "why": why, "parameters": order})
                    report_progress("candidate", {"name": drop["name"], "twin": keep["name"], "why": why})
    told = [{name: twin[name] for name in ("keep", "twin", "why")} for twin in twins]
    unused = [function["name"] for function in functions if function["name"] not in called and not function.get("tests")]
    if not twins or not propose:
        return {"twins": told, "unused": unused, "changeset": None, "state": "", "problems": []}
    problems = []
    for twin in twins:
        source = next(function["source"] for function in functions if function["name"] == twin["twin"])
        node = next(node for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
        kept, own = twin["parameters"]
        call = ", ".join(f"{name}={mine}" for name, mine in zip(kept, own))
        # Callers keep their function; it calls the one that stays, and its own tests still say what it does.
        node.body = [*(node.body[:1] if ast.get_docstring(node) is not None else []), *ast.parse(f"return {twin['keep']}({call})").body]
        node.decorator_list = []
        try:
            brain.draft(ast.unparse(ast.fix_missing_locations(node)) + "\n", twin["twin"])
        except (RuntimeError, PermissionError) as error:
            problems.append(f"`{twin['twin']}`: {clean_text(str(error), 300)}")
    proposed = brain.propose(f"let {len(twins) - len(problems)} twins call one function")
    report_progress("proposal", {"changeset": proposed["changeset"], "state": proposed["state"]})
    problems += failed_checks(proposed.get("checks") or [])
    return {"twins": told, "unused": unused, "changeset": proposed["changeset"], "state": proposed["state"], "problems": problems}
