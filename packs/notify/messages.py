"""Messages before they are sent: long ones split, Markdown rewritten, failures put into words."""

import re
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"text": "one two three", "limit": 8}, "expect": {"output": ["one two", "three"]}},
        {
            "name": "lines are kept whole",
            "input": {"text": "one\ntwo\nthree", "limit": 8},
            "expect": {"output": ["one\ntwo", "three"]},
        },
        {
            "name": "a word that is too long is cut",
            "input": {"text": "abcdef", "limit": 4},
            "expect": {"output": ["abcd", "ef"]},
        },
        {"name": "nothing", "input": {"text": " ", "limit": 4}, "expect": {"output": []}},
    ],
)
def split_message(text: str, limit: int) -> list[str]:
    """Split a long text into parts that a service takes, at line breaks or spaces where it can be.

    Args:
        text: The text.
        limit: The most characters of one part.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, but is {limit}")
    parts = []
    rest = text.strip()
    while len(rest) > limit:
        window = rest[: limit + 1]
        at = max(window.rfind("\n"), 0) or max(window.rfind(" "), 0) or limit
        parts.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*parts, rest] if rest else parts


@selfmade.function(
    tests=[
        {
            "input": {"text": "# Head\n**Bold** and [a link](https://e.com) & <b>\n- item"},
            "expect": {"output": "*Head*\n*Bold* and <https://e.com|a link> &amp; &lt;b&gt;\n• item"},
        },
        {
            "name": "code stays as it is",
            "input": {"text": "`a **b** c`\n```\n# x\n```"},
            "expect": {"output": "`a **b** c`\n```\n# x\n```"},
        },
    ],
)
def slack_markup(text: str) -> str:
    """Write Markdown as Slack wants it: bold, links, headings, lists, escapes.

    Args:
        text: The Markdown.
    """
    pieces = re.split(r"(```.*?```|`[^`\n]+`)", text, flags=re.DOTALL)

    def marked(piece: str) -> str:
        piece = piece.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        piece = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+)\)", r"<\2|\1>", piece)
        piece = re.sub(r"\*\*(.+?)\*\*", r"*\1*", piece)
        piece = re.sub(r"(?m)^#{1,6} +(.+?)\s*$", r"*\1*", piece)
        return re.sub(r"(?m)^(\s*)[-*] +", r"\1• ", piece)

    return "".join(piece if number % 2 else marked(piece) for number, piece in enumerate(pieces))


@selfmade.function(
    tests=[
        {
            "input": {
                "error": {"type": "ValueError", "message": "no rain", "traceback": "File 1\nFile 2"},
                "function": "forecast",
            },
            "expect": {"output": "**`forecast` failed**\nValueError: no rain\n```\nFile 1\nFile 2\n```"},
        },
        {
            "name": "a plain text",
            "input": {"error": "out of time"},
            "expect": {"output": "**A run failed**\nout of time"},
        },
    ],
)
def failure_message(error: dict[str, Any] | str, function: str = "") -> str:
    """Write a message about a run that failed, as the event `run.failed` hands its error on, in Markdown.

    Args:
        error: The error: `{"type", "message", "traceback"}`, or a text.
        function: Which function failed.
    """
    told = {"message": error} if isinstance(error, str) else error
    head = f"**`{function}` failed**" if function else "**A run failed**"
    kind = f"{told['type']}: " if told.get("type") else ""
    lines = [head, f"{kind}{told.get('message', '')}"]
    if told.get("traceback"):
        # Its end says where it happened.
        lines.append(f"```\n{told['traceback'].strip()[-1500:]}\n```")
    return "\n".join(lines)
