"""From what somebody wants to what is to be built: name, parameters, examples, needs, parts."""

import ast
import keyword
import re
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"text": "Count the Words!"}, "expect": {"output": "count_the_words"}},
        {"name": "words of Python", "input": {"text": "class"}, "expect": {"output": "class_"}},
        {"name": "nothing left", "input": {"text": "!?"}, "expect": {"output": "made"}},
    ],
)
def plain_name(text: str) -> str:
    """Make a name for a function of any text: small letters, digits and underscores.

    Args:
        text: The text.
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60].rstrip("_")
    if not name:
        return "made"
    name = f"f_{name}" if name[0].isdigit() else name
    return f"{name}_" if keyword.iskeyword(name) or name in ("match", "type", "print", "list", "str") else name


@selfmade.function(
    tests=[
        {"input": {"text": "list[dict[str, int]] | None"}, "expect": {"output": "list[dict[str, int]] | None"}},
        {"name": "what is no type", "input": {"text": "__import__('os').system('x')"}, "expect": {"output": "Any"}},
        {"name": "a class that is not there", "input": {"text": "DataFrame"}, "expect": {"output": "Any"}},
    ],
)
def plain_type(text: str) -> str:
    """Read a type as a model wrote it, and return it if it is made of built-in ones, otherwise `Any`.

    Args:
        text: The type.
    """
    known = {"int", "float", "str", "bool", "list", "dict", "tuple", "set", "bytes", "None", "Any"}
    text = text.strip().strip("`")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return "Any"
    allowed = (ast.Expression, ast.Name, ast.Subscript, ast.Tuple, ast.BinOp, ast.BitOr, ast.Constant, ast.Load)
    for node in ast.walk(tree):
        if not isinstance(node, allowed) or isinstance(node, ast.Name) and node.id not in known:
            return "Any"
        if isinstance(node, ast.Constant) and node.value not in (None, ...):
            return "Any"
    return ast.unparse(tree)


@selfmade.function(
    tests=[
        {
            "input": {"spec": {"name": "cut", "parameters": [{"name": "text", "type": "str"}, {"name": "n", "type": "int"}], "returns": "str"}},
            "expect": {"output": "def cut(text: str, n: int) -> str"},
        },
        {"name": "without parameters", "input": {"spec": {"name": "now", "parameters": [], "returns": "Any"}}, "expect": {"output": "def now() -> Any"}},
    ],
)
def spec_signature(spec: dict[str, Any]) -> str:
    """Write the first line of the function that a specification asks for.

    Args:
        spec: What `understand` returns.
    """
    parameters = ", ".join(f"{one['name']}: {one['type']}" for one in spec["parameters"])
    return f"def {spec['name']}({parameters}) -> {spec['returns']}"


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {"goal": "Double a number.", "examples": ["f(2) => 4"]},
            "mocks": [
                {
                    "function": "ask_json",
                    "output": {
                        "name": "double",
                        "goal": "Return twice a number.",
                        "parameters": [{"name": "n", "type": "int", "about": "the number"}],
                        "returns": "int",
                        "examples": [{"call": "double(3)", "result": "6"}, {"call": "double(x)", "result": "?"}],
                        "queries": ["multiply by two"],
                        "hosts": [],
                        "secrets": [],
                        "uses_model": False,
                        "uses_files": False,
                        "large": False,
                        "question": "",
                        "call": "double(2)",
                    },
                }
            ],
            "expect": {
                "output": {
                    "name": "double",
                    "goal": "Return twice a number.",
                    "parameters": [{"name": "n", "type": "int", "about": "the number"}],
                    "returns": "int",
                    "exact": [{"input": {"n": 2}, "expect": {"output": 4}}],
                    "guessed": [{"input": {"n": 3}, "expect": {"output": 6}}],
                    "queries": ["multiply by two"],
                    "grants": {},
                    "large": False,
                    "question": "",
                    "given": {"n": 2},
                }
            },
        },
        {
            "name": "examples that no answer fits",
            "input": {"goal": "Double a number.", "examples": ["f(2, 3) => 4"]},
            "mocks": [
                {
                    "function": "ask_json",
                    "output": {
                        "name": "double",
                        "goal": "Twice.",
                        "parameters": [{"name": "n", "type": "int", "about": ""}],
                        "returns": "int",
                        "examples": [],
                        "queries": [],
                        "hosts": [],
                        "secrets": [],
                        "uses_model": False,
                        "uses_files": False,
                        "large": False,
                        "question": "",
                        "call": "double(2)",
                    },
                }
            ],
            "expect": {"error": {"type": "ValueError", "message": "the examples do not fit"}},
        },
    ],
)
def understand(
    goal: str,
    examples: list[Any] | None = None,
    name: str = "",
    allowed: dict[str, list[str]] | None = None,
    spent: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Turn a wish into a specification: name, parameters, result, examples, what it needs. One call of a language model.

    Args:
        goal: What is wanted, in plain words.
        examples: Calls with their results; they are exact.
        name: What the function shall be called; the model names it unless given.
        allowed: What whoever asks allows: `network`, `secrets`, `packages`.
        spent: Counts calls and tokens; it is changed in place.
    """
    parsed = [parse_example(example) for example in examples or []]
    system = (
        f"{common_rules()}\n\n{describe_cell(allowed)}\n\n"
        "Turn a wish into the specification of one general function.\n"
        "* name: lower case with underscores, a verb first. goal: one sentence that says what it returns, with the rules for special "
        "cases. What the wish gives as an example is a parameter.\n"
        "* parameters and returns: Python types made of int, float, str, bool, list, dict, None, Any. If there are examples, the "
        "parameters are theirs, in their order and by their names.\n"
        "* examples: two to five calls with results as Python literals, if you are sure of them. Not those that were given.\n"
        "* queries: up to three short phrases by which a function that does this, or a part of it, could be found.\n"
        "* hosts, secrets (by name), uses_model, uses_files: only what it cannot do without.\n"
        "* large: whether it needs more than forty lines.\n"
        "* question: the one question whose answer would change the function, or nothing.\n"
        "* call: if the wish brings the data to do it with now, that call with literals, word for word; otherwise nothing."
    )
    text = {"type": "string"}
    texts = {"type": "array", "items": text}

    def of(kind: str, **fields: Any) -> dict[str, Any]:
        whole = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
        return {"type": "array", "items": whole} if kind == "list" else {"title": kind, **whole}

    schema = of(
        "specification",
        name=text,
        goal=text,
        parameters=of("list", name=text, type=text, about=text),
        returns=text,
        examples=of("list", call=text, result=text),
        queries=texts,
        hosts=texts,
        secrets=texts,
        uses_model={"type": "boolean"},
        uses_files={"type": "boolean"},
        large={"type": "boolean"},
        question=text,
        call=text,
    )
    lines = "\n".join(clean_text(example, 500) for example in examples or []) or "none"
    request = f"{fence('goal', goal)}\n{fence('examples', lines)}"
    fault = ""
    for _ in range(2):
        answer = ask_json(system, request + fault, schema, "strong", spent, 1500)
        parameters = []
        for one in answer["parameters"][:12]:
            called = one["name"].strip()
            if called.isidentifier() and not keyword.iskeyword(called):
                parameters.append({"name": called, "type": plain_type(one["type"]), "about": clean_text(one["about"], 200)})
        names = [one["name"] for one in parameters]
        try:
            exact = [name_arguments(example, names) for example in parsed]
        except ValueError as error:
            fault = f"\n\nThe examples do not fit your last answer: {error}. Take the parameters from the examples."
            continue
        guessed = []
        for example in answer["examples"][:5]:
            try:
                guessed.append(name_arguments(parse_example(example), names))
            except ValueError:
                continue
        try:
            given = name_arguments(parse_example({"call": answer["call"], "result": "None"}), names)["input"]
        except ValueError:
            given = None
        grants: dict[str, Any] = {}
        hosts = [host for host in answer["hosts"] if re.fullmatch(r"[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+(:\d+)?", host)]
        secrets = [secret for secret in answer["secrets"] if secret.isidentifier()]
        grants |= {"network": sorted(set(hosts))[:8]} if hosts else {}
        grants |= {"secrets": sorted(set(secrets))[:4]} if secrets else {}
        grants |= {"model": True} if answer["uses_model"] else {}
        grants |= {"files": True} if answer["uses_files"] else {}
        return {
            "name": plain_name(name or answer["name"]),
            "goal": clean_text(answer["goal"], 600).replace("\n", " ") or clean_text(goal, 600),
            "parameters": parameters,
            "returns": plain_type(answer["returns"]),
            "exact": exact,
            "guessed": guessed,
            "queries": [clean_text(query, 200) for query in answer["queries"][:3]],
            "grants": grants,
            "large": answer["large"],
            "question": clean_text(answer["question"], 500),
            "given": given if given is not None and set(given) == set(names) else None,
        }
    raise ValueError(f"the examples do not fit the parameters that the language model names:{fault}")


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {"spec": {"name": "report", "goal": "Sum up sales.", "parameters": [], "returns": "str"}},
            "mocks": [
                {
                    "function": "ask_json",
                    "output": {
                        "parts": [
                            {
                                "name": "sum_sales",
                                "goal": "Sum.",
                                "parameters": [{"name": "rows", "type": "list"}],
                                "returns": "float",
                                "examples": [{"call": "sum_sales([])", "result": "0.0"}],
                            },
                            {"name": "report", "goal": "Itself.", "parameters": [], "returns": "str", "examples": []},
                        ]
                    },
                }
            ],
            "expect": {
                "output": [
                    {
                        "name": "sum_sales",
                        "goal": "Sum.",
                        "parameters": [{"name": "rows", "type": "list", "about": ""}],
                        "returns": "float",
                        "exact": [],
                        "guessed": [{"input": {"rows": []}, "expect": {"output": 0.0}}],
                        "queries": [],
                        "grants": {},
                        "large": False,
                        "question": "",
                    }
                ]
            },
        },
        {
            "name": "no parts are needed",
            "input": {"spec": {"name": "double", "goal": "Twice.", "parameters": [], "returns": "int"}},
            "mocks": [{"function": "ask_json", "output": {"parts": []}}],
            "expect": {"output": []},
        },
    ],
)
def plan(
    spec: dict[str, Any], candidates: list[dict[str, Any]] | None = None, spent: dict[str, Any] | None = None, most: int = 5
) -> list[dict[str, Any]]:
    """Divide a large function into a few small ones, each with a specification of its own.

    Args:
        spec: What `understand` returns.
        candidates: Stored functions that need not be written again.
        spent: Counts calls and tokens; it is changed in place.
        most: The most parts.
    """
    system = (
        f"{common_rules()}\n\nDivide a function into at most {most} smaller ones that it will call. Each is general, useful by itself, "
        "has fewer than forty lines, reaches nothing outside, and comes with two to four calls and their results as Python literals. "
        "Do not divide what one function does plainly, and do not list what is stored already."
    )
    text = {"type": "string"}

    def listed(**fields: Any) -> dict[str, Any]:
        item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
        return {"type": "array", "items": item}

    parts = listed(
        name=text, goal=text, parameters=listed(name=text, type=text), returns=text, examples=listed(call=text, result=text)
    )
    schema = {"title": "plan", "type": "object", "properties": {"parts": parts}, "required": ["parts"], "additionalProperties": False}
    stored = "\n".join(describe_candidate(function) for function in candidates or []) or "none"
    request = f"{fence('functions', stored, 6000)}\n{fence('goal', spec['goal'])}\n{fence('signature', spec_signature(spec))}"
    answer = ask_json(system, request, schema, "strong", spent, 2500)
    found: list[dict[str, Any]] = []
    taken = {spec["name"], *(function["name"] for function in candidates or [])}
    for part in answer["parts"]:
        name = plain_name(part["name"])
        if name in taken or len(found) == most:
            continue
        taken.add(name)
        parameters = [
            {"name": one["name"].strip(), "type": plain_type(one["type"]), "about": ""}
            for one in part["parameters"][:12]
            if one["name"].strip().isidentifier() and not keyword.iskeyword(one["name"].strip())
        ]
        guessed = []
        for example in part["examples"][:5]:
            try:
                guessed.append(name_arguments(parse_example(example), [one["name"] for one in parameters]))
            except ValueError:
                continue
        goal = clean_text(part["goal"], 600).replace("\n", " ")
        found.append(
            {
                "name": name, "goal": goal, "parameters": parameters, "returns": plain_type(part["returns"]), "exact": [],
                "guessed": guessed, "queries": [], "grants": {}, "large": False, "question": "",
            }
        )
    report_progress("plan", {"name": spec["name"], "parts": [part["name"] for part in found]})
    return found
