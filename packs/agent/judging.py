"""Judge what was written: by running it, by a second candidate, by a look from another context. Never by what it says of itself."""

import json
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"checks": [{"gate": "names", "verdict": "failed", "findings": [{"message": "`x` is not known", "hint": "did you mean `y`?", "line": 3}]}]},
            "expect": {"output": ["names: `x` is not known, line 3; did you mean `y`?"]},
        },
        {"name": "what passed has nothing to say", "input": {"checks": [{"gate": "parses", "verdict": "passed"}]}, "expect": {"output": []}},
        {
            "name": "warnings do not fail",
            "input": {"checks": [{"gate": "types", "verdict": "passed", "findings": [{"message": "no annotation", "severity": "warning"}]}]},
            "expect": {"output": []},
        },
    ],
)
def failed_checks(checks: list[dict[str, Any]], gates: list[str] | None = None) -> list[str]:
    """List what Checks found that keeps a change from being applied, one line each.

    Args:
        checks: What `brain.check` or `brain.propose` returns.
        gates: Only these gates; all unless given.
    """
    lines = []
    for check in checks:
        if check.get("verdict") != "failed" or gates is not None and check["gate"] not in gates:
            continue
        for finding in check.get("findings") or [{"message": check.get("note") or "it failed"}]:
            if finding.get("severity") == "warning":
                continue
            line = f"{check['gate']}: {finding['message']}"
            line += f", line {finding['line']}" if finding.get("line") else ""
            lines.append(clean_text(line + (f"; {finding['hint']}" if finding.get("hint") else ""), 600))
    return lines


@selfmade.function(
    brain="propose",
    tests=[
        {
            "input": {
                "spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}, "exact": [{"input": {}, "expect": {"output": 1}}]},
                "code": "def f():\n    return 1\n",
                "witnesses": [],
            },
            "mocks": [
                {"function": "brain.draft", "output": {"name": "f"}},
                {"function": "brain.check", "output": [{"gate": "parses", "verdict": "passed"}]},
                {"function": "run_call", "output": {"output": 1}},
            ],
            "expect": {"output": {"problem": "", "kind": "", "signature": "", "got": [], "note": ""}},
        },
        {
            "name": "the exact error",
            "input": {
                "spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}, "exact": [{"input": {}, "expect": {"output": 1}}]},
                "code": "def f():\n    return 2\n",
                "witnesses": [],
            },
            "mocks": [
                {"function": "brain.draft", "output": {"name": "f"}},
                {"function": "brain.check", "output": []},
                {"function": "run_call", "output": {"output": 2}},
            ],
            "expect": {
                "output": {
                    "problem": "f() => 1 was wanted, and it returned 2",
                    "kind": "code",
                    "signature": "example 1: returned 2",
                    "got": [],
                    "note": "",
                }
            },
        },
        {
            "name": "code that does not parse is never drafted",
            "input": {"spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}, "exact": []}, "code": "def f(:", "witnesses": []},
            "expect": {"schema": {"type": "object", "properties": {"kind": {"type": "string", "pattern": "code"}, "problem": {"type": "string", "pattern": "no Python"}}}},
        },
    ],
)
def examine(spec: dict[str, Any], code: str, witnesses: list[dict[str, Any]]) -> dict[str, Any]:
    """Draft a code, check it, and run it on the exact examples and then on what the generated tests give it.

    Args:
        spec: What `understand` returns; `exact` are the examples that it must reproduce.
        code: What was written.
        witnesses: Generated tests. What comes of them is returned, not judged.
    """
    from selfmade import Failed, Refused, brain

    def told(problem: str, kind: str, signature: str, note: str = "", got: list[Any] | None = None) -> dict[str, Any]:
        if problem:
            report_progress("test", {"name": spec["name"], "ok": False, "problem": problem, "kind": kind})
        return {"problem": problem, "kind": kind, "signature": clean_text(signature, 300), "got": got or [], "note": note}

    try:
        source = assemble(code, spec)
    except ValueError as error:
        return told(str(error), "code", str(error))
    try:
        brain.draft(source)
        checks = brain.check()
    except (Failed, Refused) as error:
        return told(clean_text(str(error), 1000), "code", str(error))
    # Gates that judge tests are for later: it has none yet.
    problems = failed_checks(checks, ["parses", "names", "types", "grants"])
    if problems:
        return told("\n".join(problems), "code", problems[0])
    if not is_pure(spec.get("grants")):
        return told("", "", "", "it was not run: it reaches outside, which is for a person to allow")
    for number, test in enumerate(spec["exact"], start=1):
        got = run_call(spec["name"], test["input"])
        if meets_expectation(test["expect"], got):
            continue
        if got.get("class") in ("environment", "budget"):
            return told(f"it could not be run: {got['message']}", got["class"], got["message"])
        came = f"returned {json.dumps(got['output'], ensure_ascii=False)}" if "output" in got else f"raised {got['error']}: {got['message']}"
        problem = f"{write_example(spec['name'], test)} was wanted, and it {clean_text(came, 800)}"
        return told(problem, "code", f"example {number}: {came}")
    outputs = [run_call(spec["name"], test["input"]) for test in witnesses]
    passed = sum(meets_expectation(test["expect"], got) for test, got in zip(witnesses, outputs))
    report_progress("test", {"name": spec["name"], "ok": True, "exact": len(spec["exact"]), "generated": len(witnesses), "agree": passed})
    return told("", "", "", "", outputs)


@selfmade.function(
    tests=[
        {
            "input": {
                "candidates": [{"code": "a", "got": [{"output": 1}, {"output": 2}]}],
                "witnesses": [{"input": {"n": 0}, "expect": {"output": 1}}, {"input": {"n": 1}, "expect": {"output": 2}}],
            },
            "expect": {"output": {"accepted": 0, "why": "it passes all generated tests", "wrong": [], "disputed": []}},
        },
        {
            "name": "two that agree outvote a test",
            "input": {
                "candidates": [{"code": "a", "got": [{"output": 1}, {"output": 5}]}, {"code": "b", "got": [{"output": 1}, {"output": 5}]}],
                "witnesses": [{"input": {"n": 0}, "expect": {"output": 1}}, {"input": {"n": 1}, "expect": {"output": 2}}],
            },
            "expect": {"output": {"accepted": 0, "why": "2 independent candidates agree", "wrong": [1], "disputed": []}},
        },
        {
            "name": "one alone does not",
            "input": {
                "candidates": [{"code": "a", "got": [{"output": 1}, {"output": 5}]}],
                "witnesses": [{"input": {"n": 0}, "expect": {"output": 1}}, {"input": {"n": 1}, "expect": {"output": 2}}],
            },
            "expect": {"output": {"accepted": None, "why": "1 of 2 generated tests is disputed", "wrong": [], "disputed": [1]}},
        },
        {
            "name": "without any test two must agree",
            "input": {"candidates": [{"code": "a", "got": []}], "witnesses": []},
            "expect": {"output": {"accepted": None, "why": "nothing says that it is right", "wrong": [], "disputed": []}},
        },
    ],
)
def adjudicate(candidates: list[dict[str, Any]], witnesses: list[dict[str, Any]], exact: int = 0) -> dict[str, Any]:
    """Decide between independently written candidates and generated tests, by what the candidates return.

    A generated test is a witness: about one in seven is wrong. A candidate is accepted if it passes all of them, or if another
    one, written independently, does the same on all inputs; the tests that then fail were wrong.

    Args:
        candidates: Those that reproduce all exact examples, each with what it returned for each test (`got`).
        witnesses: The generated tests.
        exact: How many exact examples there are.
    """
    passes = [[meets_expectation(test["expect"], got) for test, got in zip(witnesses, one["got"])] for one in candidates]

    def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
        if "error" in left or "error" in right:
            return left.get("error") == right.get("error")
        return same_value(left["output"], right["output"])

    def agree(left: dict[str, Any], right: dict[str, Any]) -> bool:
        return all(map(same, left["got"], right["got"]))

    for number, passed in enumerate(passes):
        # Few tests are little proof, unless there are exact examples as well.
        if all(passed) and (len(witnesses) >= 5 or witnesses and exact or exact >= 3 or len(candidates) == 1 and len(witnesses) >= 2):
            why = "it passes all generated tests" if witnesses else "it reproduces all examples"
            return {"accepted": number, "why": why, "wrong": [], "disputed": []}
    groups = [[other for other in range(len(candidates)) if agree(one, candidates[other])] for one in candidates]
    scores = [(len(group), sum(passed)) for group, passed in zip(groups, passes)]
    best = max(range(len(candidates)), key=lambda number: (scores[number], -number), default=None)
    # Two that make the same mistake agree as well; tests, of which most are right, then speak against both.
    if best is not None and scores[best][0] >= 2 and (witnesses or exact) and 2 * scores[best][1] >= len(witnesses):
        wrong = [place for place, passed in enumerate(passes[best]) if not passed]
        return {"accepted": best, "why": f"{scores[best][0]} independent candidates agree", "wrong": wrong, "disputed": []}
    if best is None or not witnesses:
        return {"accepted": None, "why": "nothing says that it is right", "wrong": [], "disputed": []}
    disputed = [place for place in range(len(witnesses)) if not all(passed[place] for passed in passes)]
    verb = "is" if len(disputed) == 1 else "are"
    why = f"{len(disputed)} of {len(witnesses)} generated tests {verb} disputed"
    return {"accepted": None, "why": why, "wrong": [], "disputed": disputed}


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {
                "spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": ""}], "returns": "int", "exact": []},
                "code": "def f(n):\n    return n + 1",
                "tests": [],
            },
            "mocks": [{"function": "ask_json", "output": {"verdict": "accept", "call": "", "result": "", "why": ""}}],
            "expect": {"output": {"verdict": "accept", "why": "", "test": None}},
        },
        {
            "name": "a rejection comes with a call",
            "input": {
                "spec": {"name": "f", "goal": "Add one.", "parameters": [{"name": "n", "type": "int", "about": ""}], "returns": "int", "exact": []},
                "code": "def f(n):\n    return 2",
                "tests": [],
            },
            "mocks": [{"function": "ask_json", "output": {"verdict": "reject", "call": "f(2)", "result": "3", "why": "a constant"}}],
            "expect": {"output": {"verdict": "reject", "why": "a constant", "test": {"input": {"n": 2}, "expect": {"output": 3}}}},
        },
        {
            "name": "an opinion is only noted",
            "input": {
                "spec": {"name": "f", "goal": "Add one.", "parameters": [], "returns": "int", "exact": []},
                "code": "def f():\n    return 2",
                "tests": [],
            },
            "mocks": [{"function": "ask_json", "output": {"verdict": "reject", "call": "", "result": "", "why": "ugly"}}],
            "expect": {"output": {"verdict": "accept", "why": "ugly", "test": None}},
        },
    ],
)
def review(spec: dict[str, Any], code: str, tests: list[dict[str, Any]], spent: dict[str, Any] | None = None) -> dict[str, Any]:
    """Have another context look for a call for which a function does the wrong thing. Without such a call nothing is rejected.

    Args:
        spec: What `understand` returns.
        code: The code.
        tests: The tests that it passes.
        spent: Counts calls and tokens; it is changed in place.
    """
    system = f"{common_rules()}\n\n{review_guidance()}"
    shown = "\n".join(write_example(spec["name"], test) for test in tests[:12]) or "none"
    request = "\n".join(
        [fence("goal", spec["goal"]), fence("signature", spec_signature(spec)), fence("tests", shown), fence("code", code, 8000)]
    )
    text = {"type": "string"}
    fields = {"verdict": {"type": "string", "enum": ["accept", "reject"]}, "call": text, "result": text, "why": text}
    schema = {"title": "review", "type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    answer = ask_json(system, request, schema, "fast", spent, 1000)
    why, test = clean_text(answer["why"], 400), None
    if answer["verdict"] == "reject":
        try:
            test = name_arguments(parse_example(answer), [one["name"] for one in spec["parameters"]])
        except ValueError:
            test = None
    verdict = "reject" if test else "accept"
    report_progress("review", {"name": spec["name"], "verdict": verdict, "why": why})
    return {"verdict": verdict, "why": why, "test": test}
