"""Write functions and their tests, each in a context of its own: who writes tests never sees the code."""

import ast
import builtins
import pprint
import re
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"text": "Here:\n```python\ndef f(n):\n    return n\n```\nIt works!", "name": "f"}, "expect": {"output": "def f(n):\n    return n"}},
        {"name": "without a fence", "input": {"text": "def f(n):\n    return n\n", "name": "f"}, "expect": {"output": "def f(n):\n    return n"}},
        {
            "name": "another function",
            "input": {"text": "```python\ndef g(n):\n    return n\n```", "name": "f"},
            "expect": {"error": {"type": "ValueError", "message": "no function `f`"}},
        },
    ],
)
def read_code(text: str, name: str) -> str:
    """Read the code in what a model answered: the fenced part that defines the function.

    Args:
        text: The answer.
        name: The function.
    """
    wanted = re.compile(rf"^(async\s+)?def\s+{re.escape(name)}\b", re.MULTILINE)
    # A fence that is never closed was cut; what is in it is read all the same, and then does not parse.
    blocks = re.findall(r"```[\w+-]*[ \t]*\n(.*?)(?:```|\Z)", text, re.DOTALL)
    for block in [*reversed(blocks), text]:
        if wanted.search(block):
            return block.strip("\n").rstrip()
    raise ValueError(f"the answer defines no function `{name}`; answer with one fenced block of Python that does")


@selfmade.function(
    tests=[
        {
            "input": {
                "code": "import selfmade\nimport re\n\n@selfmade.function(brain='propose')\ndef f(n: int) -> int:\n    'Trust me.'\n    return n + 1\n",
                "spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": "a number"}], "grants": {}},
            },
            "expect": {
                "output": 'import re\n\nimport selfmade\n\n\n@selfmade.function()\ndef f(n: int) -> int:\n    """Add one.\n\n    Args:\n        n: a number\n    """\n    return n + 1\n'
            },
        },
        {
            "name": "code that runs when it is loaded",
            "input": {
                "code": "def f():\n    return 1\n\nprint(f())\n",
                "spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}},
            },
            "expect": {"error": {"type": "ValueError", "message": "line 4"}},
        },
        {
            "name": "other parameters than asked for",
            "input": {
                "code": "def f(a):\n    return a\n",
                "spec": {"name": "f", "goal": "", "parameters": [{"name": "n", "type": "int", "about": ""}], "grants": {}},
            },
            "expect": {"error": {"type": "ValueError", "message": "parameters `n`"}},
        },
        {
            "name": "no Python",
            "input": {"code": "def f(:", "spec": {"name": "f", "goal": "", "parameters": [], "grants": {}}},
            "expect": {"error": {"type": "ValueError", "message": "line 1"}},
        },
    ],
)
def assemble(code: str, spec: dict[str, Any], tests: list[dict[str, Any]] | None = None) -> str:
    """Make the source that is stored: the model's function with our description, our tests and the grants that were asked for.

    Decorators, descriptions and grants that the model wrote are left out: they are claims.

    Args:
        code: What the model wrote.
        spec: What `understand` returns.
        tests: The tests it shall carry.
    """
    name = spec["name"]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"the code is no Python: {getattr(error, 'msg', error)}, line {getattr(error, 'lineno', 0) or 1}") from None
    kept: list[ast.stmt] = []
    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            function = node
        elif isinstance(node, ast.Import):
            node.names = [one for one in node.names if one.name != "selfmade"]
            kept += [node] if node.names else []
        elif isinstance(node, (ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)):
            kept.append(node)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise ValueError(f"line {node.lineno} runs when the file is loaded; leave only imports and the function `{name}`")
    if function is None:
        raise ValueError(f"the code defines no function `{name}` at its top level")
    arguments = function.args
    got = [one.arg for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    wanted = [one["name"] for one in spec["parameters"]]
    if got[: len(wanted)] != wanted or len(got) - len(wanted) > len(arguments.defaults) + len(arguments.kw_defaults):
        asked = ", ".join(f"`{one}`" for one in wanted) or "none"
        raise ValueError(f"it must have the parameters {asked}, in this order; others need defaults")
    about = "".join(f"\n        {one['name']}: {one.get('about') or one['type']}" for one in spec["parameters"])
    described = spec["goal"].strip().replace("\\", "\\\\").replace('"""', "'''") or name
    described += f"\n\n    Args:{about}\n    " if about else ""
    lines = code.split("\n")
    first, rest = function.body[0], function.body[1:]
    is_described = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and bool(rest)
    body = rest[0] if is_described else first
    if first.lineno > function.lineno and (not is_described or body.lineno > (first.end_lineno or 0)):
        # As it was written, with its comments.
        header = lines[function.lineno - 1 : first.lineno - 1]
        tail = lines[(first.end_lineno or 0) if is_described else first.lineno - 1 : function.end_lineno]
        indent = " " * first.col_offset
    else:
        function.body = rest if is_described else function.body
        function.decorator_list = []
        header, indent = ast.unparse(ast.fix_missing_locations(function)).split("\n"), "    "
        place = next(place for place, line in enumerate(header) if line.startswith(("def ", "async def "))) + 1
        header, tail = header[:place], header[place:]
    lines = [*header, *f'{indent}"""{described}"""'.split("\n"), *tail]
    options = dict(spec.get("grants") or {})
    if tests:
        options["tests"] = tests
    declared = "".join(f"    {key}={pprint.pformat(value, width=110, sort_dicts=False)},\n" for key, value in options.items())
    above = "\n".join(
        ast.unparse(node) if isinstance(node, ast.Import) else ast.get_source_segment(code, node) or "" for node in kept
    )
    above = f"{above}\n\n" if above else ""
    decorator = f"@selfmade.function(\n{declared})" if declared else "@selfmade.function()"
    return f"{above}import selfmade\n\n\n{decorator}\n" + "\n".join(lines) + "\n"


@selfmade.function(
    tests=[
        {
            "input": {"code": "import selfmade\nimport re\n\n@selfmade.function(\n    brain='propose',\n)\ndef f(n):\n    return n  # so\n"},
            "expect": {"output": "import re\n\ndef f(n):\n    return n  # so\n"},
        },
        {"name": "what claims nothing stays", "input": {"code": "def f(n):\n    return n\n"}, "expect": {"output": "def f(n):\n    return n\n"}},
        {"name": "no Python", "input": {"code": "def f(:"}, "expect": {"error": {"type": "ValueError", "message": "no Python"}}},
    ],
)
def bare_code(code: str) -> str:
    """Take the decorators off the functions of a code, so that it declares no grants, tests or options of its own.

    Args:
        code: The code.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"the code is no Python: {getattr(error, 'msg', error)}, line {getattr(error, 'lineno', 0) or 1}") from None
    dropped: set[int] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
            dropped |= set(range(node.decorator_list[0].lineno, node.lineno))
        elif isinstance(node, ast.Import) and all(one.name == "selfmade" for one in node.names):
            dropped.add(node.lineno)
    return "\n".join(line for number, line in enumerate(code.split("\n"), start=1) if number not in dropped)


@selfmade.function(
    tests=[
        {"input": {"code": "def f(n):\n    return g(n) + len(str(n))\n", "names": ["f", "g", "h"]}, "expect": {"output": ["g"]}},
        {"name": "what is no code calls nothing", "input": {"code": "def f(:", "names": ["f"]}, "expect": {"output": []}},
    ],
)
def names_used(code: str, names: list[str]) -> list[str]:
    """List which of some stored functions a code calls.

    Args:
        code: The code.
        names: The names to look for.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return []
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return [name for name in names if name in used - defined - set(dir(builtins))]


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {"spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": ""}], "returns": "int", "exact": [], "guessed": []}},
            "mocks": [{"function": "ask_text", "output": "```python\ndef f(n: int) -> int:\n    return n + 1\n```"}],
            "expect": {"output": "def f(n: int) -> int:\n    return n + 1"},
        },
        {
            "name": "answers without code",
            "input": {"spec": {"name": "f", "goal": "Add one.", "parameters": [], "returns": "int", "exact": [], "guessed": []}},
            "mocks": [{"function": "ask_text", "output": "Done! I have stored it."}],
            "expect": {"error": {"type": "ValueError", "message": "no function `f`"}},
        },
    ],
)
def write(
    spec: dict[str, Any],
    candidates: list[dict[str, Any]] | None = None,
    uses: list[str] | None = None,
    lessons: list[str] | None = None,
    attempt: int = 1,
    allowed: dict[str, list[str]] | None = None,
    spent: dict[str, Any] | None = None,
) -> str:
    """Write the code of a function. The answer is only read, never run here.

    Args:
        spec: What `understand` returns.
        candidates: Stored functions that it may call.
        uses: Names of those that it should call.
        lessons: What was learned from earlier failures.
        attempt: Which independent attempt this is; a later one does not see the earlier ones.
        allowed: What whoever asks allows: `network`, `secrets`, `packages`.
        spent: Counts calls and tokens; it is changed in place.
    """
    system = f"{common_rules()}\n\n{authoring_guidance()}\n\n{describe_cell(allowed)}\n\nAnswer with one fenced block of Python."
    stored = "\n".join(describe_candidate(function) for function in (candidates or [])[:8]) or "none"
    shown = [write_example(spec["name"], test) for test in [*spec.get("exact", []), *([] if spec.get("exact") else spec.get("guessed", []))]]
    parts = [
        fence("functions", stored, 6000),
        f"Call these: {', '.join(uses)}." if uses else "",
        fence("lessons", "\n".join(lessons), 2000) if lessons else "",
        fence("goal", spec["goal"]),
        fence("signature", spec_signature(spec)),
        fence("examples", "\n".join(shown[:10]) or "none"),
        f"Granted to it: {clean_text(spec['grants'], 500)}." if spec.get("grants") else "",
        # Without another text, a model that is asked again answers the same again.
        f"This is independent attempt {attempt}: begin from scratch, and think of another way to do it." if attempt > 1 else "",
    ]
    request = "\n".join(part for part in parts if part)
    turns: list[dict[str, Any]] = []
    for left in (1, 0):
        answer = ask_text(system, request, "strong", None, spent, 3000, turns)
        try:
            return read_code(answer, spec["name"])
        except ValueError as error:
            if not left:
                raise
            told = {"role": "user", "content": f"That does not help: {error}."}
            turns = [{"role": "assistant", "content": clean_text(answer, 1000) or "(nothing)"}, told]
    return ""


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {
                "spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": ""}], "returns": "int", "exact": [{"input": {"n": 1}, "expect": {"output": 2}}]}
            },
            "mocks": [
                {
                    "function": "ask_json",
                    "output": {
                        "tests": [
                            {"call": "f(0)", "result": "1"},
                            {"call": "f(n=1)", "result": "3"},
                            {"call": "f(0)", "result": "1"},
                            {"call": "f(open('x'))", "result": "1"},
                            {"call": "f(-1)", "result": "raises ValueError"},
                        ]
                    },
                }
            ],
            "expect": {
                "output": [
                    {"input": {"n": 0}, "expect": {"output": 1}},
                    {"input": {"n": -1}, "expect": {"error": {"type": "ValueError"}}},
                ]
            },
        },
        {
            "name": "a model that has none",
            "input": {"spec": {"name": "f", "goal": "Add one.", "parameters": [], "returns": "int", "exact": []}},
            "mocks": [{"function": "ask_json", "output": {"tests": []}}],
            "expect": {"output": []},
        },
    ],
)
def write_tests(
    spec: dict[str, Any], surviving: list[str] | None = None, spent: dict[str, Any] | None = None, most: int = 8
) -> list[dict[str, Any]]:
    """Write tests of a function from what it shall do, without seeing its code. They are witnesses: some are wrong.

    Args:
        spec: What `understand` returns.
        surviving: What wrong code the tests so far do not notice.
        spent: Counts calls and tokens; it is changed in place.
        most: The most tests.
    """
    system = f"{common_rules()}\n\n{testing_guidance()}\n\nWrite {most} tests."
    shown = [write_example(spec["name"], test) for test in spec.get("exact", [])]
    parts = [
        fence("goal", spec["goal"]),
        fence("signature", spec_signature(spec)),
        fence("examples", "\n".join(shown[:10]) or "none"),
        fence("unnoticed", "\n".join(surviving), 2000) + "\nThe tests so far do not notice these mistakes; write tests that do."
        if surviving
        else "",
    ]
    test = {
        "type": "object",
        "properties": {"call": {"type": "string"}, "result": {"type": "string"}},
        "required": ["call", "result"],
        "additionalProperties": False,
    }
    schema = {
        "title": "tests",
        "type": "object",
        "properties": {"tests": {"type": "array", "items": test}},
        "required": ["tests"],
        "additionalProperties": False,
    }
    answer = ask_json(system, "\n".join(part for part in parts if part), schema, "strong", spent, 2000)
    names = [one["name"] for one in spec["parameters"]]
    seen = [one["input"] for one in spec.get("exact", [])]
    tests: list[dict[str, Any]] = []
    for one in answer["tests"][: 2 * most]:
        try:
            named = name_arguments(parse_example(one), names)
        except ValueError:
            continue
        if named["input"] not in seen and len(tests) < most and len(str(named)) < 4000:
            seen.append(named["input"])
            tests.append(named)
    return tests


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {
                "spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": ""}], "returns": "int"},
                "code": "def f(n):\n    return n",
                "problem": "f(n=1) returned 1, not 2",
            },
            "mocks": [{"function": "ask_text", "output": "```python\ndef f(n):\n    return n + 1\n```"}],
            "expect": {"output": "def f(n):\n    return n + 1"},
        },
        {
            "name": "a claim is no repair",
            "input": {"spec": {"name": "f", "goal": "", "parameters": [], "returns": "int"}, "code": "def f():\n    pass", "problem": "it returned null"},
            "mocks": [{"function": "ask_text", "output": "I fixed it, all tests pass now."}],
            "expect": {"error": {"type": "ValueError", "message": "no function `f`"}},
        },
    ],
)
def repair(
    spec: dict[str, Any],
    code: str,
    problem: str,
    candidates: list[dict[str, Any]] | None = None,
    allowed: dict[str, list[str]] | None = None,
    spent: dict[str, Any] | None = None,
) -> str:
    """Correct a function by the exact error: the input, what came, what should have come.

    Args:
        spec: What `understand` returns.
        code: The code as it is.
        problem: What is wrong with it.
        candidates: Stored functions that it may call.
        allowed: What whoever asks allows.
        spent: Counts calls and tokens; it is changed in place.
    """
    system = f"{common_rules()}\n\n{authoring_guidance()}\n\n{describe_cell(allowed)}\n\nAnswer with one fenced block of Python."
    stored = "\n".join(describe_candidate(function) for function in (candidates or [])[:8]) or "none"
    request = "\n".join(
        [
            fence("functions", stored, 6000),
            fence("goal", spec["goal"]),
            fence("signature", spec_signature(spec)),
            fence("code", code, 8000),
            fence("problem", problem, 2000),
            "Find the cause of the problem and write the whole function again. Change nothing else.",
        ]
    )
    return read_code(ask_text(system, request, "strong", None, spent, 3000), spec["name"])
