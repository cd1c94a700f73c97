"""Look over stored functions: what they reach, need and call, and what they lack."""

from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {
                "grants": {"network": ["a.example"], "secrets": ["key"], "brain": "read", "files": True, "storage": "read"}
            },
            "expect": {"output": ["network a.example", "secret key", "brain read", "files", "storage read"]},
        },
        {
            "name": "limits reach nothing",
            "input": {"grants": {"limits": {"timeout_ms": 5}}},
            "expect": {"output": []},
        },
    ],
)
def grant_lines(grants: dict[str, Any]) -> list[str]:
    """Say in words what a function may reach beyond its own memory, one grant a line.

    Args:
        grants: The grants as `read_function` has them.
    """
    lines = [f"network {host}" for host in grants.get("network", [])]
    lines += [f"secret {name}" for name in grants.get("secrets", [])]
    if grants.get("model"):
        lines.append("model")
    if grants.get("brain", "none") != "none":
        lines.append(f"brain {grants['brain']}")
    if grants.get("files"):
        lines.append("files")
    if grants.get("storage"):
        lines.append(f"storage {grants['storage']}")
    return lines


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "fetch"}]},
                {"function": "brain.read", "output": {"grants": {"network": ["*.org"], "secrets": ["key"]}}},
            ],
            "expect": {"output": {"fetch": ["network *.org", "secret key"]}},
        },
        {
            "name": "what reaches nothing is left out",
            "input": {},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "double"}]},
                {"function": "brain.read", "output": {"grants": {}}},
            ],
            "expect": {"output": {}},
        },
    ],
)
def list_grants(pattern: str = "*") -> dict[str, list[str]]:
    """List the functions that may reach anything beyond their own memory, and what.

    Args:
        pattern: Which names, with `*` for any part.
    """
    from selfmade import brain

    told = {}
    for entry in list_functions(pattern):
        lines = grant_lines(brain.read(entry["name"]).get("grants") or {})
        if lines:
            told[entry["name"]] = lines
    return told


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "a"}, {"name": "b"}]},
                {"function": "brain.read", "output": {"requirements": [{"package": "httpx>=0.27"}]}},
            ],
            "expect": {"output": {"httpx>=0.27": ["a", "b"]}},
        },
        {
            "name": "none",
            "input": {"pattern": "a"},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "a"}]},
                {"function": "brain.read", "output": {"requirements": []}},
            ],
            "expect": {"output": {}},
        },
    ],
)
def list_requirements(pattern: str = "*") -> dict[str, list[str]]:
    """List the Python packages that stored functions need, each with the functions that need it.

    Args:
        pattern: Which functions, with `*` for any part of the name.
    """
    from selfmade import brain

    packages: dict[str, list[str]] = {}
    for entry in list_functions(pattern):
        for requirement in brain.read(entry["name"]).get("requirements") or []:
            package = requirement["package"] if isinstance(requirement, dict) else requirement
            packages.setdefault(package, []).append(entry["name"])
    return dict(sorted(packages.items()))


@selfmade.function(
    brain="read",
    tests=[
        {
            "name": "a function that calls itself is shown once more and not followed",
            "input": {"name": "walk"},
            "mocks": [
                {"function": "brain.read", "output": {"name": "walk", "dependencies": [{"function": "walk"}]}}
            ],
            "expect": {"output": "walk\n  walk …"},
        },
        {
            "input": {"name": "double"},
            "mocks": [{"function": "brain.read", "output": {"name": "double", "dependencies": []}}],
            "expect": {"output": "double"},
        },
    ],
)
def dependency_tree(name: str) -> str:
    """Draw what a function calls, and what that calls, as an indented tree.

    Args:
        name: The function at the root. What was shown before is marked with `…` and not followed again.
    """
    from selfmade import brain

    seen: set[str] = set()
    lines: list[str] = []
    waiting = [(0, name)]
    while waiting:
        depth, called = waiting.pop()
        again = called in seen
        lines.append("  " * depth + called + (" …" if again else ""))
        if again:
            continue
        seen.add(called)
        dependencies = brain.read(called).get("dependencies") or []
        waiting += [(depth + 1, dependency["function"]) for dependency in reversed(dependencies)]
    return "\n".join(lines)


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "word_count"},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "summary"}]},
                {"function": "brain.read", "output": {"dependencies": [{"function": "word_count"}]}},
            ],
            "expect": {"output": ["summary"]},
        },
        {
            "name": "nobody",
            "input": {"name": "slugify"},
            "mocks": [
                {"function": "list_functions", "output": [{"name": "summary"}]},
                {"function": "brain.read", "output": {"dependencies": [{"function": "word_count"}]}},
            ],
            "expect": {"output": []},
        },
    ],
)
def functions_calling(name: str) -> list[str]:
    """List the stored functions that call another one directly.

    Args:
        name: The function that is called.
    """
    from selfmade import brain

    def calls(caller: str) -> bool:
        dependencies = brain.read(caller).get("dependencies") or []
        return any(dependency["function"] == name for dependency in dependencies)

    return [entry["name"] for entry in list_functions() if calls(entry["name"])]


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "double"},
            "mocks": [
                {
                    "function": "brain.read",
                    "output": {
                        "description": "",
                        "input": {"properties": {"n": {}}},
                        "output": {},
                        "tests": [],
                        "grants": {"network": ["*.com"], "secrets": ["key"]},
                    },
                }
            ],
            "expect": {
                "output": [
                    "it does not say what it does",
                    "it has no tests",
                    "parameter `n` is not described",
                    "parameter `n` has no type",
                    "what it returns has no type",
                    "it is handed a secret and may send it to all of `*.com`",
                ]
            },
        },
        {
            "name": "nothing to find fault with",
            "input": {"name": "double"},
            "mocks": [
                {
                    "function": "brain.read",
                    "output": {
                        "description": "Double a number.",
                        "input": {"properties": {"n": {"type": "number", "description": "The number."}}},
                        "output": {"type": "number"},
                        "tests": [{}],
                        "grants": {},
                    },
                }
            ],
            "expect": {"output": []},
        },
    ],
)
def review_function(name: str) -> list[str]:
    """Say what a stored function lacks: description, tests, types, narrow grants.

    Args:
        name: The function. A trigger on `function.updated` hands it over after every change.
    """
    from selfmade import brain

    function = brain.read(name)
    problems = []
    if not function["description"]:
        problems.append("it does not say what it does")
    if not function["tests"]:
        problems.append("it has no tests")
    for parameter, schema in (function["input"] or {}).get("properties", {}).items():
        kind = {word: value for word, value in schema.items() if word not in ("description", "default")}
        if "description" not in schema:
            problems.append(f"parameter `{parameter}` is not described")
        if not kind:
            problems.append(f"parameter `{parameter}` has no type")
    if not function["output"]:
        problems.append("what it returns has no type")
    grants = function["grants"]
    wide = [host for host in grants.get("network", []) if host.startswith("*.") and host.count(".") == 1]
    if wide and grants.get("secrets"):
        problems.append(f"it is handed a secret and may send it to all of `{wide[0]}`")
    return problems
