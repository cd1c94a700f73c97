"""What a model says that is asked to build something for somebody."""

from __future__ import annotations

import json
from typing import Any

from real import MODEL


def teach(queries: int) -> None:
    """What it says when it is to square a number: a function that calls a helper, which comes after it."""
    parts: list[dict[str, Any]] = [
        {"name": "square", "description": "Squares.", "dependencies": ["square_helper"]},
        {"name": "square_helper", "description": "Multiplies.", "dependencies": []},
    ]
    for part in parts:
        part |= {"input_parameters": [{"name": "n", "type": "int"}], "output_parameters": [], "imports": [], "code": ""}
    code = {
        "square": "def square(n):\n    return square_helper(n, n)",
        "square_helper": "def square_helper(a, b):\n    return int(math.prod([a, b]))",
    }

    def written(name: str) -> str:
        function = next(part for part in parts if part["name"] == name)
        return json.dumps({
            "function_name": name,
            "metadata": {"description": function["description"]},
            "code": code[name],
            "imports": ["math"],
            "dependencies": function["dependencies"],
        })  # fmt: skip

    def parameters(request: dict[str, Any]) -> str:
        return json.dumps({"parameters": {"n": int(request["messages"][0]["content"].split('"square ')[1][0])}})

    MODEL.rules += [
        (("distinct queries",), json.dumps([f"square {n}" for n in range(3, 3 + queries)])),
        (("perfectly fulfill",), json.dumps({"function_found": False, "function_name": None})),
        (("break down a user's request",), json.dumps(parts)),
        (
            ("decide what imports",),
            json.dumps(
                {"standard_imports": ["math"], "external_imports": [], "external_apis": [], "documentation_needed": []}
            ),
        ),
        (("for the function 'square,",), written("square")),
        (("for the function 'square_helper,",), written("square_helper")),
        (("extract the required parameters",), parameters),
    ]
