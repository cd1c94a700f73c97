"""Find, read and describe stored functions."""

import fnmatch
import json
from typing import Any

import selfmade


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {},
            "mocks": [{"function": "brain.list", "output": []}],
            "expect": {
                "output": "Your brain holds no functions yet.\n\n"
                "Load some that come with selfmade:\n"
                "  selfmade pack load text\n"
                "  selfmade pack load data\n"
                "Or add one of your own:\n"
                "  echo 'def greet(name: str): return f\"Hello, {name}\"' | selfmade fn add -"
            },
        },
        {
            "name": "with functions there is something to try",
            "input": {},
            "mocks": [
                {
                    "function": "brain.list",
                    "output": [{"name": "slugify", "description": "Turn a title into a name."}],
                }
            ],
            "expect": {
                "schema": {"type": "string", "pattern": "holds 1 function\\. Try:\\n  selfmade run slugify"}
            },
        },
    ],
)
def tour() -> str:
    """Say what this brain holds and what to try first."""
    from selfmade import brain

    page = brain.list(limit=200)
    if not page:
        return (
            "Your brain holds no functions yet.\n\n"
            "Load some that come with selfmade:\n"
            "  selfmade pack load text\n"
            "  selfmade pack load data\n"
            "Or add one of your own:\n"
            "  echo 'def greet(name: str): return f\"Hello, {name}\"' | selfmade fn add -"
        )
    known = {entry["name"] for entry in page}
    many = f"{len(page)} or more" if len(page) == 200 else str(len(page))
    noun = "function" if len(page) == 1 else "functions"
    tries = [
        ("slugify", 'selfmade run slugify "Hello, World!"', "run one, in a sandbox"),
        ("find_functions", 'selfmade run find_functions "count words"', "find one by what it does"),
        ("list_grants", "selfmade run list_grants", "see which may reach the network, secrets or files"),
        ("query_rows", "selfmade fn show query_rows", "put SQL to plain rows"),
        ("read_page", "selfmade run read_page https://example.com", "read a page of the web"),
    ]
    lines = [f"  {command}    # {why}" for name, command, why in tries if name in known]
    lines.append(f"  selfmade fn show {page[0]['name']}    # signature, grants, tests, source")
    lines.append("  selfmade test    # the tests that functions carry")
    return "\n".join([f"Your brain holds {many} {noun}. Try:", *lines])


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"pattern": "word_*"},
            "mocks": [
                {
                    "function": "brain.list",
                    "output": [
                        {"name": "slugify", "description": "Turn a title into a name."},
                        {"name": "word_count", "description": "Count the words of a text."},
                    ],
                }
            ],
            "expect": {"output": [{"name": "word_count", "description": "Count the words of a text."}]},
        },
        {
            "name": "an empty brain",
            "input": {},
            "mocks": [{"function": "brain.list", "output": []}],
            "expect": {"output": []},
        },
    ],
)
def list_functions(pattern: str = "*") -> list[dict[str, Any]]:
    """List stored functions by name, each with its description.

    Args:
        pattern: Which names, with `*` for any part: `web.*`, `*_rows`.
    """
    from selfmade import brain

    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = brain.list(after=after, limit=200)
        found += [entry for entry in page if fnmatch.fnmatchcase(entry["name"], pattern)]
        if len(page) < 200:
            return found
        after = page[-1]["name"]


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"name": "double"},
            "mocks": [
                {
                    "function": "brain.read",
                    "output": {
                        "name": "double",
                        "version": 2,
                        "source": "def double(n):\n    return n * 2\n",
                    },
                }
            ],
            "expect": {
                "output": {"name": "double", "version": 2, "source": "def double(n):\n    return n * 2\n"}
            },
        },
        {
            "name": "a name is needed",
            "input": {"name": " "},
            "expect": {"error": {"type": "ValueError", "message": "name"}},
        },
    ],
)
def read_function(name: str) -> dict[str, Any]:
    """Read all that is stored of a function: source, schemas, dependencies, requirements, grants, tests.

    Args:
        name: The function's name.
    """
    from selfmade import brain

    if not name.strip():
        raise ValueError("a function has a name, and this one is empty")
    return brain.read(name)


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"query": "count words"},
            "mocks": [
                {
                    "function": "brain.search",
                    "output": [
                        {
                            "name": "word_count",
                            "description": "Count the words of a text.",
                            "input": {"properties": {"text": {"type": "string"}}, "required": ["text"]},
                        }
                    ],
                }
            ],
            "expect": {
                "output": [
                    {
                        "name": "word_count",
                        "description": "Count the words of a text.",
                        "signature": "word_count(text: string)",
                    }
                ]
            },
        },
        {
            "name": "nothing fits",
            "input": {"query": "fly to the moon", "limit": 1},
            "mocks": [{"function": "brain.search", "output": []}],
            "expect": {"output": []},
        },
    ],
)
def find_functions(query: str, limit: int = 5) -> list[dict[str, Any]]:
    """Find stored functions by what they do, best first.

    Args:
        query: What is wanted, in plain words; half names and slips of the pen are fine.
        limit: The most to return.
    """
    from selfmade import brain

    return [
        {
            "name": found["name"],
            "description": found["description"],
            "signature": signature_line(found).removesuffix(" -> any"),
        }
        for found in brain.search(query, limit=limit)
    ]


@selfmade.function(
    tests=[
        {
            "input": {
                "function": {
                    "name": "cut",
                    "input": {
                        "properties": {
                            "text": {"type": "string"},
                            "limit": {"type": "integer", "default": 3},
                        },
                        "required": ["text"],
                    },
                    "output": {"type": "string"},
                }
            },
            "expect": {"output": "cut(text: string, limit: integer = 3) -> string"},
        },
        {
            "name": "lists, choices and what has no type",
            "input": {
                "function": {
                    "name": "f",
                    "input": {
                        "properties": {
                            "rows": {"type": "array", "items": {"type": "object"}},
                            "how": {"enum": ["a", "b"]},
                            "any": {},
                        },
                        "required": ["rows", "how", "any"],
                    },
                }
            },
            "expect": {"output": 'f(rows: array of object, how: "a" | "b", any: any) -> any'},
        },
        {
            "name": "no parameters, several types",
            "input": {
                "function": {
                    "name": "now",
                    "input": {},
                    "output": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                }
            },
            "expect": {"output": "now() -> number | null"},
        },
    ],
)
def signature_line(function: dict[str, Any]) -> str:
    """Write the signature of a function in one line, from its schemas.

    Args:
        function: What `read_function` or `brain.search` says of it.
    """

    def kind(schema: Any) -> str:
        if not isinstance(schema, dict):
            return "any"
        if "enum" in schema:
            return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return " | ".join(kind(part) for part in schema[word])
        named = schema.get("type", "any")
        if isinstance(named, list):
            return " | ".join(named)
        if named == "array" and schema.get("items"):
            return f"array of {kind(schema['items'])}"
        return named

    schema = function.get("input") or {}
    required = schema.get("required", [])
    parts = []
    properties = schema.get("properties", {})
    for name in [*required, *(name for name in properties if name not in required)]:
        part = f"{name}: {kind(properties[name])}"
        if name not in required:
            part += " = " + json.dumps(properties[name].get("default"), ensure_ascii=False)
        parts.append(part)
    return f"{function['name']}({', '.join(parts)}) -> {kind(function.get('output'))}"


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"pattern": "*"},
            "mocks": [
                {
                    "function": "list_functions",
                    "output": [{"name": "double", "description": "Double a number."}],
                },
                {
                    "function": "brain.read",
                    "output": {
                        "name": "double",
                        "input": {"properties": {"n": {"type": "number"}}, "required": ["n"]},
                        "output": {"type": "number"},
                        "grants": {"network": ["example.com"]},
                    },
                },
            ],
            "expect": {
                "output": "- **double**(n: number) -> number\n  Double a number. *Reaches: network example.com.*"
            },
        },
        {
            "name": "nothing to describe",
            "input": {"pattern": "x*"},
            "mocks": [{"function": "list_functions", "output": []}],
            "expect": {"output": ""},
        },
    ],
)
def describe_functions(pattern: str = "*", limit: int = 100) -> str:
    """Write an overview of stored functions in Markdown: signature, description, what each may reach.

    Args:
        pattern: Which names, with `*` for any part.
        limit: The most to describe.
    """
    from selfmade import brain

    lines = []
    for entry in list_functions(pattern)[:limit]:
        function = brain.read(entry["name"])
        told = signature_line(function)
        name, rest = told[: len(function["name"])], told[len(function["name"]) :]
        grants = grant_lines(function.get("grants") or {})
        reach = f" *Reaches: {', '.join(grants)}.*" if grants else ""
        lines.append(f"- **{name}**{rest}\n  {entry['description'] or 'No description.'}{reach}")
    return "\n".join(lines)


@selfmade.function(
    brain="read",
    tests=[
        {
            "input": {"names": ["double"]},
            "mocks": [
                {
                    "function": "brain.read",
                    "output": {
                        "name": "double",
                        "description": "Double a number.",
                        "input": {
                            "type": "object",
                            "properties": {"n": {"type": "number"}},
                            "required": ["n"],
                        },
                    },
                }
            ],
            "expect": {
                "output": [
                    {
                        "type": "function",
                        "function": {
                            "name": "double",
                            "description": "Double a number.",
                            "parameters": {
                                "type": "object",
                                "properties": {"n": {"type": "number"}},
                                "required": ["n"],
                            },
                        },
                    }
                ]
            },
        },
        {
            "name": "a name that models do not take is spelt so that they do",
            "input": {"names": ["math.double"]},
            "mocks": [
                {
                    "function": "brain.read",
                    "output": {"name": "math.double", "description": None, "input": None},
                }
            ],
            "expect": {
                "output": [
                    {
                        "type": "function",
                        "function": {
                            "name": "math__double",
                            "description": "",
                            "parameters": {"type": "object", "properties": {}},
                        },
                    }
                ]
            },
        },
    ],
)
def tool_schemas(names: list[str]) -> list[dict[str, Any]]:
    """Describe stored functions as the tools that chat models are offered.

    Args:
        names: The functions. A dot in a name becomes `__`, because models take no dots.
    """
    from selfmade import brain

    tools = []
    for name in names:
        function = brain.read(name)
        described = {
            "name": function["name"].replace(".", "__"),
            "description": function["description"] or "",
            "parameters": function["input"] or {"type": "object", "properties": {}},
        }
        tools.append({"type": "function", "function": described})
    return tools
