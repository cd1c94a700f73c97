"""The loop: reuse, compose or write; run; repair; judge; propose."""

import json
import re
from typing import Any

import selfmade


@selfmade.function(
    brain="read",
    tests=[
        {"input": {"name": "double"}, "mocks": [{"function": "brain.list", "output": [{"name": "dot"}]}], "expect": {"output": "double"}},
        {
            "name": "a name that is taken",
            "input": {"name": "double"},
            "mocks": [{"function": "brain.list", "output": [{"name": "double"}, {"name": "double_2"}]}],
            "expect": {"output": "double_3"},
        },
    ],
)
def free_name(name: str, taken: list[str] | None = None) -> str:
    """Find a name that no stored function has, beginning with the one that is wished for.

    Args:
        name: The wish.
        taken: Other names that are not free.
    """
    from selfmade import brain

    # Names in order: those that begin with the wish follow what comes just before it.
    known = {entry["name"] for entry in brain.list(after=name[:-1] or None, limit=200)} | set(taken or [])
    number, free = 1, name
    while free in known:
        number += 1
        free = f"{name}_{number}"
    return free


@selfmade.function(
    model=True,
    brain="propose",
    tests=[
        {
            "input": {"spec": {"name": "f", "goal": "One.", "parameters": [], "returns": "int", "exact": [], "guessed": [], "grants": {}}},
            "mocks": [
                {"function": "write_tests", "output": [{"input": {}, "expect": {"output": 1}}, {"input": {}, "expect": {"output": 1}}]},
                {"function": "write", "output": "def f():\n    return 1"},
                {"function": "examine", "output": {"problem": "", "kind": "", "signature": "", "got": [{"output": 1}, {"output": 1}], "note": ""}},
                {"function": "review", "output": {"verdict": "accept", "why": "", "test": None}},
            ],
            "expect": {
                "output": {
                    "ok": True,
                    "code": "def f():\n    return 1",
                    "witnesses": [{"input": {}, "expect": {"output": 1}}, {"input": {}, "expect": {"output": 1}}],
                    "wrong": 0,
                    "why": "it passes all generated tests",
                    "note": "",
                }
            },
        },
        {
            "name": "code that never works is given up",
            "input": {"spec": {"name": "f", "goal": "One.", "parameters": [], "returns": "int", "exact": [], "guessed": [], "grants": {}}},
            "mocks": [
                {"function": "write_tests", "output": []},
                {"function": "write", "output": "def f(:"},
                {"function": "repair", "output": "def f(:"},
                {"function": "examine", "output": {"problem": "the code is no Python", "kind": "code", "signature": "no Python", "got": [], "note": ""}},
            ],
            "expect": {"output": {"ok": False, "code": "def f(:", "witnesses": [], "wrong": 0, "why": "the code is no Python", "note": ""}},
        },
    ],
)
def make_function(
    spec: dict[str, Any],
    candidates: list[dict[str, Any]] | None = None,
    uses: list[str] | None = None,
    first_code: str = "",
    lessons: list[str] | None = None,
    allowed: dict[str, list[str]] | None = None,
    limits: dict[str, int] | None = None,
    interactive: bool = False,
    spent: dict[str, Any] | None = None,
    attempts: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Write one function until it is right as far as can be known, or the rounds are used up.

    Args:
        spec: What `understand` returns.
        candidates: Stored functions that it may call.
        uses: Names of those that it should call.
        first_code: A first candidate that need not be written.
        lessons: What was learned from earlier failures.
        allowed: What whoever asks allows.
        limits: `candidates` written independently (3), `repairs` of each (2), `reviews` (1).
        interactive: Whether a person says what is right where that stays disputed, at most three times.
        spent: Counts calls and tokens; it is changed in place.
        attempts: Gets every code that was tried with what was wrong with it, so that nothing is lost; it is changed in place.
    """
    limits = limits or {}
    attempts = [] if attempts is None else attempts
    witnesses = write_tests(spec, None, spent)
    good: list[dict[str, Any]] = []
    reviews = limits.get("reviews", 1)
    code = why = ""
    for number in range(1, limits.get("candidates", 3) + 1):
        tried: set[str] = set()
        seen: dict[str, Any] = {}
        for repairs in range(limits.get("repairs", 2) + 1):
            try:
                if repairs:
                    report_progress("repair", {"name": spec["name"], "candidate": number, "round": repairs, "problem": seen["problem"]})
                    code = repair(spec, code, seen["problem"], candidates, allowed, spent)
                else:
                    code = first_code if number == 1 and first_code else write(spec, candidates, uses, lessons, number, allowed, spent)
            except ValueError as error:
                seen = {"problem": str(error), "kind": "code"}
                attempts.append({"name": spec["name"], "candidate": number, "code": "", "problem": str(error)})
                break
            report_progress("code", {"name": spec["name"], "candidate": number, "code": code})
            seen = examine(spec, code, witnesses)
            attempts.append({"name": spec["name"], "candidate": number, "code": code, "problem": seen["problem"]})
            # The same failure twice, or the same code: another round would only repeat it.
            if not seen["problem"] or seen["kind"] != "code" or seen["signature"] in tried or code in tried:
                break
            tried |= {seen["signature"], code}
        if seen["problem"]:
            why = seen["problem"]
            if seen["kind"] != "code":
                break
            continue
        if seen["note"]:
            return {"ok": True, "code": code, "witnesses": [], "wrong": 0, "why": "its checks pass", "note": seen["note"]}
        good.append({"code": code, "got": seen["got"]})
        while True:
            decided = adjudicate(good, witnesses, len(spec["exact"]))
            why = decided["why"]
            if decided["accepted"] is None:
                break
            one = good[decided["accepted"]]
            if one["code"] != code:
                # The draft that is seen from here on is the one that was accepted.
                code = one["code"]
                examine(spec, code, [])
            kept = [test for place, test in enumerate(witnesses) if place not in decided["wrong"]]
            done = {"ok": True, "code": one["code"], "witnesses": kept, "wrong": len(decided["wrong"]), "why": why, "note": ""}
            if reviews <= 0:
                return done
            reviews -= 1
            looked = review(spec, one["code"], [*spec["exact"], *kept], spent)
            if looked["test"] is None:
                return {**done, "note": looked["why"]}
            # What the reviewer found is one more witness. The candidates say what they do there.
            witnesses = [*witnesses, looked["test"]]
            for other in good:
                examine(spec, other["code"], [])
                other["got"] = [*other["got"], run_call(spec["name"], looked["test"]["input"])]
            if meets_expectation(looked["test"]["expect"], one["got"][-1]):
                return {**done, "witnesses": [*kept, looked["test"]]}
            # One candidate that was accepted for passing all tests has to be confirmed by another now.
    for _ in range(3 if interactive and good else 0):
        disputed = adjudicate(good, witnesses, len(spec["exact"]))["disputed"]
        if not disputed:
            break
        from selfmade import ask

        test = witnesses[disputed[0]]
        call = write_example(spec["name"], test).partition(" => ")[0]
        question = f"What shall `{call}` return? Answer with a value as Python writes it, or `raises ValueError`."
        report_progress("ask", {"question": question})
        try:
            told = parse_example({"call": call, "result": ask(question)})["expect"]
        except ValueError:
            break
        witnesses[disputed[0]] = {**test, "expect": told}
        good = [one for one in good if meets_expectation(told, one["got"][disputed[0]])]
        decided = adjudicate(good, witnesses, len(spec["exact"]) + 1)
        if decided["accepted"] is not None:
            one = good[decided["accepted"]]
            examine(spec, one["code"], [])
            kept = [witness for place, witness in enumerate(witnesses) if place not in decided["wrong"]]
            why = "it does what a person said"
            return {"ok": True, "code": one["code"], "witnesses": kept, "wrong": len(decided["wrong"]), "why": why, "note": ""}
    note = ""
    if good:
        code = good[0]["code"]
        unclear = [witnesses[place] for place in adjudicate(good, witnesses, len(spec["exact"]))["disputed"][:3]]
        calls = [write_example(spec["name"], test).partition(" => ")[0] for test in unclear]
        note = f"unclear is what these return: {', '.join(calls)}" if calls else "it is not clear what is right"
    return {"ok": False, "code": code, "witnesses": witnesses, "wrong": 0, "why": why, "note": note}


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    tests=[
        {
            "input": {"goal": "Double n.", "examples": ["f(2) => 4", "f(3) => 6", "f(0) => 0", "f(5) => 10", "f(-1) => -2"]},
            "mocks": [
                {"function": "find_candidates", "output": [{"name": "double", "description": "Doubles.", "grants": {}}]},
                {"function": "try_candidates", "output": [{"name": "double", "arguments": {"n": 0}, "passed": 5, "of": 5, "got": []}]},
            ],
            "expect": {
                "output": {
                    "outcome": "reused",
                    "function": "double",
                    "arguments": {"n": 0},
                    "why": "it reproduces all 5 examples",
                    "made": [],
                    "note": "",
                }
            },
        },
        {
            "name": "harm is refused",
            "input": {"goal": "Steal."},
            "mocks": [
                {"function": "find_candidates", "output": [{"name": "double", "grants": {}}]},
                {"function": "try_candidates", "output": []},
                {
                    "function": "understand",
                    "output": {"name": "steal", "goal": "Steal.", "parameters": [], "returns": "int", "exact": [], "guessed": [], "queries": [], "grants": {}, "large": False, "question": ""},
                },
                {"function": "choose", "output": {"decision": "refuse", "function": "", "uses": [], "why": "harm"}},
            ],
            "expect": {"output": {"outcome": "refused", "function": "", "arguments": {}, "why": "harm", "made": [], "note": ""}},
        },
    ],
)
def make_draft(
    goal: str,
    examples: list[Any] | None = None,
    name: str = "",
    allowed: dict[str, list[str]] | None = None,
    limits: dict[str, int] | None = None,
    interactive: bool = False,
    offered: list[str] | None = None,
    spent: dict[str, Any] | None = None,
    attempts: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Find a stored function for a goal, or make one as a draft of this run: everything of `build` but the proposal.

    Args:
        goal: What is wanted, in plain words.
        examples: Calls with their results, such as `f(2) => 4`; they are exact.
        name: What it shall be called.
        allowed: What whoever asks allows: `network`, `secrets`, `packages`.
        limits: How many candidates, repairs and reviews (`make_function`).
        interactive: Whether a person answers questions.
        offered: Stored functions of which it is decided already that none is enough.
        spent: Counts calls and tokens; it is changed in place.
        attempts: Gets what was tried; it is changed in place.
    """

    def done(outcome: str, function: str, why: str, **more: Any) -> dict[str, Any]:
        return {"outcome": outcome, "function": function, "arguments": {}, "why": why, "made": [], "note": "", **more}

    parsed = [parse_example(example) for example in examples or []]
    shown = [clean_text(example, 300) for example in examples or []]
    candidates = find_candidates(goal)
    tried = try_candidates(candidates, parsed)

    def whole(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [one for one in found if one["passed"] == one["of"]]

    # Five examples with several results are enough to know a function by. Fewer fit others by chance: then a model looks as well.
    is_telling = len(parsed) >= 5 and len({json.dumps(one["expect"], sort_keys=True) for one in parsed}) >= 3
    if whole(tried) and is_telling:
        one = whole(tried)[0]
        return done("reused", one["name"], f"it reproduces all {one['of']} examples", arguments=one["arguments"])
    if whole(tried):
        names = [one["name"] for one in whole(tried)]
        chosen = choose(goal, [one for one in candidates if one["name"] in names], shown, tried, spent)
        if chosen["decision"] == "refuse":
            return done("refused", "", chosen["why"])
        if chosen["function"]:
            one = next(one for one in tried if one["name"] == chosen["function"])
            return done("reused", one["name"], f"it reproduces {one['passed']} of {one['of']} examples", arguments=one["arguments"])
        offered = [*(offered or []), *names]
    spec = understand(goal, examples, name, allowed, spent)
    if interactive and spec["question"]:
        from selfmade import ask

        report_progress("ask", {"question": spec["question"]})
        goal = f"{goal}\n{spec['question']} {ask(spec['question'])}"
        spec = understand(goal, examples, name, allowed, spent)
    report_progress("plan", {"name": spec["name"], "goal": spec["goal"], "signature": spec_signature(spec), "grants": spec["grants"]})
    known = {function["name"] for function in candidates}
    more = [one for one in find_candidates(spec["goal"], spec["queries"]) if one["name"] not in known]
    candidates += more
    if parsed:
        tried += try_candidates(more, parsed)
        if whole(tried) and is_telling:
            one = whole(tried)[0]
            return done("reused", one["name"], f"it reproduces all {one['of']} examples", arguments=one["arguments"])
    else:
        guessed = [{"args": [], "named": test["input"], "expect": test["expect"]} for test in spec["guessed"]]
        tried = try_candidates(candidates, guessed, False)
    tried.sort(key=lambda one: -one["passed"])
    uses: list[str] = []
    open_ones = [one for one in candidates if one["name"] not in (offered or [])]
    if open_ones and (not parsed or any(one["name"] not in (offered or []) for one in whole(tried))):
        open_ones.sort(key=lambda one: -max([two["passed"] for two in tried if two["name"] == one["name"]], default=0))
        chosen = choose(spec["goal"], open_ones[:10], shown, tried, spent)
        uses = chosen["uses"]
        if chosen["decision"] == "refuse":
            return done("refused", "", chosen["why"])
        ran = next((one for one in tried if one["name"] == chosen["function"]), None)
        function = next((one for one in candidates if one["name"] == chosen["function"]), None)
        # A guess of the model's may be wrong, an example of a person's may not; nor do guesses excuse a function that has no
        # tests of its own.
        is_strict = bool(parsed) or not (function or {}).get("tests")
        enough = ran is not None and ran["passed"] >= (ran["of"] if is_strict else 0.6 * ran["of"])
        untried = function is not None and not is_pure(function.get("grants")) and not parsed
        if function is not None and (enough or untried):
            why = f"it reproduces {ran['passed']} of {ran['of']} examples" if ran else chosen["why"]
            return done("reused", function["name"], why, arguments=ran["arguments"] if ran else {})
    made: list[dict[str, Any]] = []
    spec["name"] = free_name(spec["name"])
    composed = None
    if len(parsed) >= 2 and len(spec["parameters"]) == 1:
        composed = compose(spec["name"], spec["parameters"][0]["name"], candidates, parsed)
    if composed:
        report_progress("candidate", {"name": spec["name"], "composed": composed["uses"]})
    elif spec["large"]:
        for part in plan(spec, candidates, spent):
            part["name"] = free_name(part["name"], [spec["name"], *(one["spec"]["name"] for one in made)])
            one = make_function(part, candidates, None, "", None, allowed, limits, interactive, spent, attempts)
            if not one["ok"]:
                why = f"its part `{part['name']}`: {one['why']}"
                return done("undecided" if one["note"] else "failed", "", why, made=[{**one, "spec": part}], note=one["note"])
            made.append({**one, "spec": part})
            uses = [*uses, part["name"]]
            candidates = [{"name": part["name"], "description": part["goal"], "input": {}, "tests": part["guessed"]}, *candidates]
    known_lessons = [one for one in lessons() if one["state"] == "active"][:8]
    first = composed["code"] if composed else ""
    before = len(attempts) if attempts is not None else 0
    texts = [one["text"] for one in known_lessons]
    one = make_function(spec, candidates, uses, first, texts, allowed, limits, interactive, spent, attempts)
    problems = [attempt["problem"] for attempt in (attempts or [])[before:] if attempt["problem"]]
    credit_lessons(known_lessons, problems)
    if one["ok"]:
        for problem in dict.fromkeys(problems):
            learn(problem, spec["goal"])
    made.append({**one, "spec": spec})
    if not one["ok"]:
        return done("undecided" if one["note"] else "failed", "", one["why"], made=made, note=one["note"])
    used = names_used(one["code"], [function["name"] for function in candidates])
    outcome = "composed" if composed and one["code"] == first else "made"
    return done(outcome, spec["name"], one["why"], made=made, note=one["note"], uses=used)


@selfmade.function(
    model=True,
    brain="propose",
    tests=[
        {
            "input": {"made": [{"spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}, "exact": [{"input": {}, "expect": {"output": 1}}]}, "code": "def f():\n    return 1", "witnesses": []}]},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "f"}},
                {"function": "brain.check", "output": []},
                {"function": "brain.propose", "output": {"changeset": 7, "state": "applied", "checks": []}},
            ],
            "expect": {"output": {"changeset": 7, "state": "applied", "problems": [], "twin": ""}},
        },
        {
            "name": "what fails a check is not proposed",
            "input": {"made": [{"spec": {"name": "f", "goal": "One.", "parameters": [], "grants": {}, "exact": []}, "code": "def f():\n    return 1", "witnesses": []}]},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "f"}},
                {"function": "brain.check", "output": [{"gate": "policy", "verdict": "failed", "findings": [{"message": "`f` may not be changed"}]}]},
            ],
            "expect": {"output": {"changeset": None, "state": "refused", "problems": ["policy: `f` may not be changed"], "twin": ""}},
        },
    ],
)
def propose_built(made: list[dict[str, Any]], title: str = "", spent: dict[str, Any] | None = None) -> dict[str, Any]:
    """Propose what was made, as one change with all its tests. What the store answers is returned, not what was intended.

    Args:
        made: Each with `spec`, `code` and `witnesses`, as `make_draft` returns them.
        title: What the change is called.
        spent: Counts calls and tokens; it is changed in place.
    """
    from selfmade import brain

    def draft() -> list[dict[str, Any]]:
        for one in made:
            generated = [{**test, "kind": "generated"} for test in one["witnesses"]]
            brain.draft(assemble(one["code"], one["spec"], [*one["spec"]["exact"], *generated]))
        return brain.check()

    checks = draft()
    # Tests that notice too little: they would pass for wrong code, or for a function that is stored already.
    weak = failed_checks(checks, ["mutants", "twins"])
    if weak:
        report_progress("test", {"name": made[-1]["spec"]["name"], "ok": False, "problem": "\n".join(weak), "kind": "tests"})
        for one in made:
            for test in write_tests(one["spec"], weak, spent):
                if meets_expectation(test["expect"], run_call(one["spec"]["name"], test["input"])):
                    one["witnesses"] = [*one["witnesses"], test]
        checks = draft()
    problems = failed_checks(checks)
    if problems:
        # A twin is a stored function that does the same: good news, if it is one.
        twins = [name for line in failed_checks(checks, ["twins"]) for name in re.findall(r"`([\w.]+)`", line)]
        names = {one["spec"]["name"] for one in made}
        twin = next((name for name in twins if name not in names), "") if len(failed_checks(checks, ["twins"])) == len(problems) else ""
        return {"changeset": None, "state": "refused", "problems": problems, "twin": twin}
    proposed = brain.propose(clean_text(title, 120).replace("\n", " ") or f"add {made[-1]['spec']['name']}")
    problems = failed_checks(proposed.get("checks") or [])
    report_progress("proposal", {"changeset": proposed["changeset"], "state": proposed["state"], "problems": problems})
    return {"changeset": proposed["changeset"], "state": proposed["state"], "problems": problems, "twin": ""}


@selfmade.function(
    tests=[
        {
            "input": {"outcome": "applied", "function": "double", "why": "it passes all generated tests", "spent": {"calls": 4, "input": 900, "output": 200, "cost": 0}},
            "expect": {"output": "`double` is stored: it passes all generated tests. 4 model calls, 1100 tokens."},
        },
        {
            "name": "nothing was changed",
            "input": {"outcome": "failed", "function": "", "why": "the code is no Python", "spent": {}},
            "expect": {"output": "Nothing was changed: the code is no Python. 0 model calls, 0 tokens."},
        },
    ],
)
def say_outcome(outcome: str, function: str, why: str, spent: dict[str, Any], changeset: int | None = None) -> str:
    """Say in a line how a build ended.

    Args:
        outcome: `reused`, `applied`, `proposed`, `refused`, `undecided`, `failed` or `exhausted`.
        function: The function it is about.
        why: The reason.
        spent: What was used.
        changeset: The number of the proposal.
    """
    told = {
        "reused": f"`{function}` does it already",
        "applied": f"`{function}` is stored",
        "proposed": f"`{function}` is proposed as changeset {changeset} and waits for a person; `selfmade changes show {changeset}`",
        "undecided": "Nothing was changed, because it is not clear what is right; give more examples",
        "refused": "Nothing was changed, it was refused",
        "exhausted": "Nothing was changed, and what was written so far is in `attempts`; give it a larger budget",
    }.get(outcome, "Nothing was changed")
    tokens = spent.get("input", 0) + spent.get("output", 0)
    cost = f", ${spent['cost'] / 1e6:.4f}" if spent.get("cost") else ""
    return f"{told}: {clean_text(why, 600)}. {spent.get('calls', 0)} model calls, {tokens} tokens{cost}."


@selfmade.function(
    model=True,
    brain="propose",
    storage="write",
    timeout=3600,
    tests=[
        {
            "input": {"goal": "Double n."},
            "mocks": [
                {"function": "make_draft", "output": {"outcome": "made", "function": "double", "arguments": {}, "why": "it passes all generated tests", "made": [{"spec": {"name": "double", "exact": []}, "code": "", "witnesses": [], "wrong": 1}], "note": ""}},
                {"function": "propose_built", "output": {"changeset": 7, "state": "checked", "problems": [], "twin": ""}},
            ],
            "expect": {
                "output": {
                    "outcome": "proposed",
                    "function": "double",
                    "says": "`double` is proposed as changeset 7 and waits for a person; `selfmade changes show 7`: it passes all generated tests. 0 model calls, 0 tokens.",
                    "why": "it passes all generated tests",
                    "note": "",
                    "arguments": {},
                    "changeset": 7,
                    "state": "checked",
                    "problems": [],
                    "tests": {"exact": 0, "generated": 0, "wrong": 1},
                    "spent": {"most_calls": 40},
                    "attempts": [],
                }
            },
        },
        {
            "name": "a goal is needed",
            "input": {"goal": " "},
            "expect": {"error": {"type": "ValueError", "message": "say what to build"}},
        },
        {
            "name": "what is there already is not built",
            "input": {"goal": "Double n."},
            "mocks": [{"function": "make_draft", "output": {"outcome": "reused", "function": "double", "arguments": {"n": 0}, "why": "it reproduces all 3 examples", "made": [], "note": ""}}],
            "expect": {
                "output": {
                    "outcome": "reused",
                    "function": "double",
                    "says": "`double` does it already: it reproduces all 3 examples. 0 model calls, 0 tokens.",
                    "why": "it reproduces all 3 examples",
                    "note": "",
                    "arguments": {"n": 0},
                    "changeset": None,
                    "state": "",
                    "problems": [],
                    "tests": {"exact": 0, "generated": 0, "wrong": 0},
                    "spent": {"most_calls": 40},
                    "attempts": [],
                }
            },
        },
    ],
)
def build(
    goal: str,
    examples: list[Any] | None = None,
    name: str = "",
    allowed: dict[str, list[str]] | None = None,
    most_calls: int = 40,
    limits: dict[str, int] | None = None,
    interactive: bool = False,
) -> dict[str, Any]:
    """Build a function for a goal: find one that does it, compose stored ones, or write, test and propose a new one.

    Args:
        goal: What is wanted, in plain words.
        examples: Calls with their results, such as `f(2) => 4`. They are exact, and the best help there is.
        name: What it shall be called.
        allowed: What whoever asks allows: `network`, `secrets`, `packages`.
        most_calls: The most calls of a language model; the server's own budgets hold besides.
        limits: How many `candidates`, `repairs` of each, and `reviews`.
        interactive: Whether a person answers questions.
    """
    if not goal.strip():
        raise ValueError("say what to build: the goal is empty")
    spent: dict[str, Any] = {"most_calls": most_calls}
    attempts: list[dict[str, Any]] = []
    made: dict[str, Any] = {"outcome": "failed", "function": "", "arguments": {}, "why": "", "made": [], "note": ""}
    proposed: dict[str, Any] = {"changeset": None, "state": "", "problems": [], "twin": ""}
    try:
        made = make_draft(goal, examples, name, allowed, limits, interactive, None, spent, attempts)
        if made["outcome"] in ("made", "composed"):
            proposed = propose_built(made["made"], f"{made['function']}: {goal}", spent)
            outcome, why = {"applied": "applied", "refused": "refused"}.get(proposed["state"], "proposed"), made["why"]
            if proposed["twin"]:
                outcome, why, made["function"] = "reused", "it does the same", proposed["twin"]
            elif proposed["problems"]:
                outcome, why = "refused", "; ".join(proposed["problems"])
        else:
            outcome, why = made["outcome"], made["why"]
    except (RuntimeError, PermissionError, ValueError) as error:
        kind = classify_failure(type(error).__name__, str(error))
        outcome, why = "exhausted" if kind == "budget" else "failed", str(error)
        made["function"] = ""
    says = say_outcome(outcome, made["function"], why, spent, proposed["changeset"])
    report_progress("end", {"outcome": outcome, "function": made["function"], "says": says})
    last = made["made"][-1] if made["made"] else {}
    tests = {"exact": len((last.get("spec") or {}).get("exact", [])), "generated": len(last.get("witnesses", [])), "wrong": last.get("wrong", 0)}
    return {
        "outcome": outcome,
        "function": made["function"],
        "says": says,
        "why": clean_text(why, 1000),
        "note": made["note"],
        "arguments": made["arguments"],
        "changeset": proposed["changeset"],
        "state": proposed["state"],
        "problems": proposed["problems"],
        "tests": tests,
        "spent": spent,
        "attempts": attempts[-20:],
    }
