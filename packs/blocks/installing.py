"""Blocks that add blocks: by changesets, which are checked and decided on like all others."""

from collections.abc import Iterator

import selfmade


@selfmade.function(
    brain="propose",
    tests=[
        {
            "input": {"source": "def double(n: int) -> int:\n    return n * 2\n"},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "double"}},
                {"function": "brain.check", "output": [{"gate": "parses", "verdict": "passed"}]},
                {"function": "brain.propose", "output": {"changeset": 7, "state": "applied", "checks": []}},
            ],
            "expect": {"pins": [["success", "`double` is in changeset 7, which is applied"]]},
        },
        {
            "name": "what is wrong is raised, and nothing is proposed",
            "input": {"source": "def double(n): return dubble(n)"},
            "mocks": [
                {"function": "brain.draft", "output": {"name": "double"}},
                {
                    "function": "brain.check",
                    "output": [
                        {"gate": "names", "verdict": "failed", "findings": [{"message": "`dubble` is not known"}]}
                    ],
                },
            ],
            "expect": {"error": {"type": "ValueError", "message": "names: `dubble` is not known"}},
        },
    ],
)
def install_block(source: str) -> Iterator[tuple[str, str]]:
    """Add a block that is written in Python, as a function or a class, if its checks and tests pass.

    Args:
        source: The block.
    """
    from selfmade import brain

    name = brain.draft(source)["name"]
    findings = [
        f"{check['gate']}: {finding['message']}"
        for check in brain.check()
        if check["verdict"] == "failed"
        for finding in check.get("findings") or [{"message": "it failed"}]
    ]
    if findings:
        raise ValueError("; ".join(findings))
    proposed = brain.propose(f"add {name}")
    success: str = f"`{name}` is in changeset {proposed['changeset']}, which is {proposed['state']}"
    yield "success", success
