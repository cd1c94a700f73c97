"""A language model that works on a task by itself."""

import json
import re
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    timeout=3600,
    tests=[
        {
            "input": {"task": "Greet whom you are given.", "input": "Ada"},
            "mocks": [
                {
                    "function": "ask_model",
                    "output": {
                        "tool_calls": [
                            {"id": "c1", "function": {"name": "output", "arguments": '{"result": "Hello, Ada"}'}}
                        ]
                    },
                }
            ],
            "expect": {"pins": [["result", "Hello, Ada"]]},
        },
        {
            "name": "what it finds in a page is told to it, and its last word is the result",
            "input": {"task": "What is the title?", "input": "https://a.example/"},
            "mocks": [
                {
                    "function": "ask_model",
                    "output": {
                        "tool_calls": [
                            {"id": "c1", "function": {"name": "read_page", "arguments": '{"url": "https://a.example/"}'}}
                        ]
                    },
                },
                {"function": "fetch_public", "output": "<title>Tides</title><script>1</script>"},
                {"function": "ask_model", "output": {"content": "Tides"}},
            ],
            "expect": {"pins": [["result", "Tides"]]},
        },
        {
            "name": "a command that is disabled is not carried out",
            "input": {"task": "Go", "input": "", "disabled_commands": ["read_page"]},
            "mocks": [
                {
                    "function": "ask_model",
                    "output": {
                        "tool_calls": [
                            {"id": "c1", "function": {"name": "read_page", "arguments": '{"url": "https://a.example/"}'}}
                        ]
                    },
                },
                {"function": "ask_model", "output": {"content": "I cannot"}},
            ],
            "expect": {"pins": [["result", "I cannot"]]},
        },
    ],
)
def pursue_task(
    task: str,
    input: str,
    enabled_components: list[str] | None = None,
    disabled_commands: list[str] | None = None,
    fast_mode: bool = False,
    model: str = "gpt-4o-mini",
) -> Iterator[tuple[str, str]]:
    """Let a language model work on a task, with the pages of the public web at hand, until it has a result.

    It decides for itself what it reads, in at most 25 steps. Its result leaves on `result`.

    Args:
        task: What is to be done.
        input: What it is to be done with.
        enabled_components: What it may use, such as `web`; everything unless given.
        disabled_commands: What it may not use: `read_page`.
        fast_mode: Whether it should answer without looking further if it can.
        model: The model, if the server's settings name none.
    """
    text = {"type": "string"}
    commands = {
        "read_page": ("Read a page of the public web.", {"url": text}),
        "output": ("Give the result. This ends the task.", {"result": text}),
    }
    is_offline = enabled_components is not None and not any("web" in name.lower() for name in enabled_components)
    if is_offline or "read_page" in (disabled_commands or []):
        del commands["read_page"]
    offered = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {"type": "object", "properties": properties, "required": list(properties)},
            },
        }
        for name, (description, properties) in commands.items()
    ]

    def execute(name: str, given: str) -> str:
        if name not in commands:
            return f"there is no command `{name}`; use one of {', '.join(commands)}"
        try:
            page = f"{fetch_public(json.loads(given)['url'])}"
        except Exception as error:
            return f"{error}"
        page = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", page)
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)).strip()[:20_000]

    haste = " Answer at once if you can." if fast_mode else ""
    asked: list[dict[str, Any]] = [
        {"role": "system", "content": f"{task}\n\nUse the commands, and give the result with `output`.{haste}"},
        {"role": "user", "content": input},
    ]
    for _ in range(25):
        message = ask_model(asked, model, None, offered)
        calls = message.get("tool_calls") or []
        if not calls:
            answer: str = message.get("content") or ""
            yield "result", answer
            return
        asked.append({"role": "assistant", "content": message.get("content"), "tool_calls": calls})
        for call in calls:
            name, given = call["function"]["name"], call["function"]["arguments"] or "{}"
            if name == "output":
                result: str = f"{json.loads(given).get('result', '')}"
                yield "result", result
                return
            asked.append({"role": "tool", "tool_call_id": call["id"], "content": execute(name, given)})
    raise TimeoutError("there is no result after 25 steps")
