"""Check and propose sources.

Nothing here applies a change by itself: what is proposed goes through the same checks and the same policy as
everything else.
"""

from typing import Any

import selfmade


@selfmade.function(
    brain="propose",
    tests=[
        {
            "input": {"source": "def double(n: int) -> int:\n    return n * 2\n"},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "double"}},
                {"function": "brain.check", "output": [{"gate": "parses", "verdict": "passed"}]},
            ],
            "expect": {"output": {"name": "double", "ok": True, "findings": []}},
        },
        {
            "name": "what is wrong is told",
            "input": {"source": "def double(n): return dubble(n)"},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "double"}},
                {
                    "function": "brain.check",
                    "output": [
                        {
                            "gate": "names",
                            "verdict": "failed",
                            "findings": [
                                {"message": "`dubble` is not known", "hint": "did you mean `double`?"}
                            ],
                        }
                    ],
                },
            ],
            "expect": {
                "output": {
                    "name": "double",
                    "ok": False,
                    "findings": ["names: `dubble` is not known; did you mean `double`?"],
                }
            },
        },
    ],
)
def check_source(source: str) -> dict[str, Any]:
    """Check the source of a function as if it were added, without adding it.

    Args:
        source: Plain Python with one function, decorated with `@selfmade.function(…)` or bare.
    """
    from selfmade import brain

    name = brain.draft(source)["name"]
    checks = brain.check()
    findings = []
    for check in checks:
        for finding in check.get("findings") or []:
            hint = f"; {finding['hint']}" if finding.get("hint") else ""
            findings.append(f"{check['gate']}: {finding['message']}{hint}")
    return {"name": name, "ok": all(check["verdict"] != "failed" for check in checks), "findings": findings}


@selfmade.function(
    brain="propose",
    tests=[
        {
            "input": {"source": "def double(n: int) -> int:\n    return n * 2\n"},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "double"}},
                {"function": "brain.propose", "output": {"changeset": 7, "state": "checked", "checks": []}},
            ],
            "expect": {"output": {"name": "double", "changeset": 7, "state": "checked"}},
        },
        {
            "name": "a source is needed",
            "input": {"source": ""},
            "expect": {"error": {"type": "ValueError", "message": "source"}},
        },
    ],
)
def propose_function(source: str, title: str = "") -> dict[str, Any]:
    """Propose a new function, or a new version of one: checked at once, applied as the policy says.

    Args:
        source: Plain Python with one function, decorated with `@selfmade.function(…)` or bare.
        title: What the changeset is called; "add" and the name unless given.
    """
    from selfmade import brain

    if not source.strip():
        raise ValueError("the source is empty; give it one function")
    name = brain.draft(source)["name"]
    proposed = brain.propose(title or f"add {name}")
    return {"name": name, "changeset": proposed["changeset"], "state": proposed["state"]}


@selfmade.function(
    brain="propose",
    tests=[
        {
            "input": {"name": "double", "old": "n + n", "new": "n * 2"},
            "mocks": [
                {"function": "brain.read", "output": {"source": "def double(n):\n    return n + n\n"}},
                {"function": "brain.draft", "output": {"name": "double"}},
                {"function": "brain.propose", "output": {"changeset": 8, "state": "checked", "checks": []}},
            ],
            "expect": {"output": {"name": "double", "changeset": 8, "state": "checked"}},
        },
        {
            "name": "the text must be there, once",
            "input": {"name": "double", "old": "n", "new": "m"},
            "mocks": [{"function": "brain.read", "output": {"source": "def double(n):\n    return n + n\n"}}],
            "expect": {"error": {"type": "ValueError", "message": "4 times"}},
        },
    ],
)
def edit_function(name: str, old: str, new: str, title: str = "") -> dict[str, Any]:
    """Propose a change of a stored function by replacing a part of its source; grants and tests stay.

    Args:
        name: The function.
        old: The text to replace. It must occur once.
        new: The text to put there.
        title: What the changeset is called; "edit" and the name unless given.
    """
    from selfmade import brain

    source = brain.read(name)["source"]
    times = source.count(old) if old else 0
    if times != 1:
        raise ValueError(f"the text to replace must occur once in `{name}`, but occurs {times} times")
    brain.draft(source.replace(old, new), name)
    proposed = brain.propose(title or f"edit {name}")
    return {"name": name, "changeset": proposed["changeset"], "state": proposed["state"]}
