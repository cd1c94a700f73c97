"""Blocks with which a language model makes lists and chooses tools."""

import json
import re
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"focus": "cities", "source_data": "Oslo, Rome"},
            "mocks": [{"function": "ask_model", "output": {"content": '["Oslo", "Rome"]'}}],
            "expect": {
                "pins": [
                    ["generated_list", ["Oslo", "Rome"]],
                    [
                        "prompt",
                        [
                            {
                                "role": "system",
                                "content": 'Answer with one JSON list of texts such as ["a", "b"] and nothing else.',
                            },
                            {"role": "user", "content": "Make a list. It is about: cities. Take it from:\nOslo, Rome"},
                        ],
                    ],
                    ["list_item", "Oslo"],
                    ["list_item", "Rome"],
                ]
            },
        },
        {
            "name": "an answer that is no list",
            "input": {"focus": "cities", "max_retries": 1},
            "mocks": [{"function": "ask_model", "output": {"content": "Oslo and Rome"}}],
            "expect": {"error": {"type": "ValueError", "message": "1 answers were no list"}},
        },
        {
            "name": "about nothing",
            "input": {},
            "expect": {"error": {"type": "ValueError", "message": "`focus` or `source_data`"}},
        },
    ],
)
def generate_list(
    focus: str | None = None,
    source_data: str | None = None,
    model: str = "gpt-4o-mini",
    max_retries: int = 3,
    max_tokens: int | None = None,
) -> Iterator[tuple[str, Any]]:
    """Let a language model make a list: the whole of it, then its items one by one.

    Args:
        focus: What the list is about.
        source_data: The text that the list is taken from.
        model: The model, if the server's settings name none.
        max_retries: How often to ask in all.
        max_tokens: The most tokens of an answer.
    """
    if not focus and not source_data:
        raise ValueError("give `focus` or `source_data`")
    form = 'Answer with one JSON list of texts such as ["a", "b"] and nothing else.'
    wish = "Make a list." + (f" It is about: {focus}." if focus else "")
    wish += f" Take it from:\n{source_data}" if source_data else ""
    asked: list[dict[str, Any]] = [{"role": "system", "content": form}, {"role": "user", "content": wish}]
    conversation = list(asked)
    for _ in range(max_retries):
        answer = ask_model(conversation, model, max_tokens).get("content") or ""
        place = answer.find("[")
        try:
            found, _ = json.JSONDecoder().raw_decode(answer, max(place, 0))
        except ValueError:
            found = None
        if isinstance(found, list):
            break
        conversation += [{"role": "assistant", "content": answer}, {"role": "user", "content": f"No list. {form}"}]
    else:
        raise ValueError(f"{max_retries} answers were no list of JSON")
    generated: list[Any] = found
    yield "generated_list", generated
    yield "prompt", asked
    for item in generated:
        yield "list_item", item


@selfmade.function(
    tests=[
        {
            "input": {
                "prompt": "What is 2 + 3?",
                "functions": [{"name": "Add Up", "parameters": {"a": {"type": "number"}, "b": {}}}],
            },
            "mocks": [
                {
                    "function": "ask_model",
                    "output": {
                        "content": None,
                        "tool_calls": [
                            {"id": "c1", "function": {"name": "add_up", "arguments": '{"a": 2, "b": null}'}}
                        ],
                    },
                }
            ],
            "expect": {
                "pins": [
                    ["tools", {"add_up": {"a": 2, "b": None}}],
                    [
                        "conversations",
                        [
                            {"role": "user", "content": "What is 2 + 3?"},
                            {
                                "role": "assistant",
                                "content": None,
                                "tool_calls": [
                                    {"id": "c1", "function": {"name": "add_up", "arguments": '{"a": 2, "b": null}'}}
                                ],
                            },
                        ],
                    ],
                ]
            },
        },
        {
            "name": "a result goes to the first call that waits, and then the next is waited for",
            "input": {
                "prompt": "Go",
                "functions": [{"name": "f"}],
                "last_tool_output": 0,
                "conversation_history": [{"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]}],
            },
            "expect": {
                "pins": [
                    [
                        "conversations",
                        [
                            {"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]},
                            {"role": "tool", "tool_call_id": "c1", "content": "0"},
                        ],
                    ]
                ]
            },
        },
        {
            "name": "no call is the end",
            "input": {"prompt": "Hi", "functions": [{"name": "f"}]},
            "mocks": [{"function": "ask_model", "output": {"content": "Hello"}}],
            "expect": {"pins": [["finished", "Hello"]]},
        },
        {
            "name": "arguments that were not asked for",
            "input": {"prompt": "Hi", "functions": [{"name": "f", "parameters": {"a": {}}}], "retry": 1},
            "mocks": [
                {
                    "function": "ask_model",
                    "output": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"aa": 1}'}}]},
                }
            ],
            "expect": {"error": {"type": "ValueError", "message": "`f` has no parameter `aa`"}},
        },
    ],
)
def choose_tools(
    prompt: str,
    functions: list[dict[str, Any]],
    model: str = "gpt-4o-mini",
    sys_prompt: str = "",
    prompt_values: dict[str, Any] | None = None,
    conversation_history: list[dict[str, Any]] | None = None,
    last_tool_output: Any = ...,
    multiple_tool_calls: bool = False,
    retry: int = 3,
    max_tokens: int | None = None,
) -> Iterator[tuple[str, Any]]:
    """Let a language model choose what is done next: its arguments leave on `tools`, its last word on `finished`.

    In a graph, link `tools_#_TOOL_#_PARAMETER` to the node of each tool, its result to `last_tool_output`, and
    `conversations` to `conversation_history`.

    Args:
        prompt: The task.
        functions: The tools: objects with `name`, `description`, and `parameters` with a JSON Schema for each. Names
            are written in lower case, with `_` for whatever is no letter or digit.
        model: The model, if the server's settings name none.
        sys_prompt: How to go about it.
        prompt_values: Values for `{{ name }}` in both prompts.
        conversation_history: The messages so far, as they left on `conversations`.
        last_tool_output: The result of the call that has waited longest.
        multiple_tool_calls: Whether it may call several tools at once.
        retry: How often to ask in all if its calls do not fit the tools.
        max_tokens: The most tokens of an answer.
    """

    def tidy(name: str) -> str:
        return re.sub(r"[^a-z0-9_-]", "_", name.lower())

    if not functions:
        raise ValueError("there are no tools to choose from")
    names = {tidy(one["name"]): {tidy(name) for name in one.get("parameters", {})} for one in functions}
    offered = [
        {
            "type": "function",
            "function": {
                "name": tidy(one["name"]),
                "description": one.get("description", ""),
                "parameters": {
                    "type": "object",
                    "properties": {tidy(name): schema for name, schema in one.get("parameters", {}).items()},
                    "required": one.get("required", []),
                },
            },
        }
        for one in functions
    ]
    asked: list[dict[str, Any]] = list(conversation_history or [])
    calls = [call["id"] for message in asked for call in message.get("tool_calls") or []]
    answered = {message.get("tool_call_id") for message in asked}
    pending = [call for call in calls if call not in answered]
    if pending:
        if last_tool_output is ...:
            raise ValueError(f"the call `{pending[0]}` has no result; link it to `last_tool_output`")
        text = last_tool_output if isinstance(last_tool_output, str) else json.dumps(last_tool_output)
        asked.append({"role": "tool", "tool_call_id": pending[0], "content": text})
    if pending[1:]:
        yield "conversations", asked
        return
    if not conversation_history:
        asked += [{"role": "system", "content": fill_prompt(sys_prompt, prompt_values)}] if sys_prompt else []
        asked.append({"role": "user", "content": fill_prompt(prompt, prompt_values)})

    def read(message: dict[str, Any]) -> list[dict[str, Any]]:
        made = []
        for call in message["tool_calls"] if multiple_tool_calls else message["tool_calls"][:1]:
            name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")
            if name not in names:
                raise ValueError(f"there is no tool `{name}`")
            unknown = [f"`{key}`" for key in arguments if tidy(key) not in names[name]]
            if unknown:
                raise ValueError(f"`{name}` has no parameter {', '.join(unknown)}")
            made.append({name: {tidy(key): value for key, value in arguments.items()}})
        return made

    conversation = list(asked)
    for tried in range(1, retry + 1):
        message = ask_model(conversation, model, max_tokens, offered)
        if not message.get("tool_calls"):
            finished: str = message.get("content") or ""
            yield "finished", finished
            return
        try:
            chosen = read(message)
            break
        except ValueError as error:
            if tried == retry:
                raise
            conversation.append({"role": "user", "content": f"Your call does not fit: {error}. Call again."})
    for tool in chosen:
        yield "tools", tool
    kept = message["tool_calls"] if multiple_tool_calls else message["tool_calls"][:1]
    asked.append({"role": "assistant", "content": message.get("content"), "tool_calls": kept})
    yield "conversations", asked
