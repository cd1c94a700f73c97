"""Blocks that ask a language model. Which one answers is a setting of the server, `[model]` in `config.toml`; the
parameter `model` counts where that names none.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    model=True,
    timeout=600,
    tests=[
        {
            "input": {"messages": [{"role": "user", "content": "Hi"}]},
            "mocks": [
                {"function": "model.complete", "output": {"choices": [{"message": {"content": "Hello"}}]}}
            ],
            "expect": {"output": {"content": "Hello"}},
        },
        {
            "name": "an answer that is none",
            "input": {"messages": []},
            "mocks": [{"function": "model.complete", "output": {"error": "busy"}}],
            "expect": {"error": {"type": "RuntimeError", "message": "busy"}},
        },
    ],
)
def ask_model(
    messages: list[dict[str, Any]],
    model_name: str = "gpt-4o-mini",
    max_tokens: int | None = None,
    tools: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Ask the language model and return its message.

    Args:
        messages: The conversation, as OpenAI's API has it.
        model_name: The model, if the server's settings name none.
        max_tokens: The most tokens of the answer.
        tools: The tools that it may call, as OpenAI's API has them.
    """
    from selfmade import model

    request: dict[str, Any] = {"model": model_name, "messages": messages}
    if max_tokens is not None:
        request["max_tokens"] = max_tokens
    if tools:
        request["tools"] = tools
    answer = model.complete(request)
    if not isinstance(answer, dict) or not answer.get("choices"):
        raise RuntimeError(f"the language model gave no answer: {json.dumps(answer)[:300]}")
    return answer["choices"][0]["message"]


@selfmade.function(
    tests=[
        {
            "input": {"text": "{{ post.title }}: {{tags[1]}} {x}", "values": {"post": {"title": "A"}, "tags": [1, 2]}},
            "expect": {"output": "A: 2 {x}"},
        },
        {
            "name": "what is filled in is not filled in again",
            "input": {"text": "{{ a }}", "values": {"a": "{{ b }}", "b": 1}},
            "expect": {"output": "{{ b }}"},
        },
        {
            "name": "what is missing is an error",
            "input": {"text": "{{ a.b }}", "values": {"a": {}}},
            "expect": {"error": {"type": "ValueError", "message": "`a.b` is not among the values"}},
        },
        {
            "name": "statements are for templates",
            "input": {"text": "{% for a in b %}", "values": {"b": []}},
            "expect": {"error": {"type": "ValueError", "message": "`@template`"}},
        },
    ],
)
def fill_prompt(text: str, values: dict[str, Any] | None = None) -> str:
    """Fill values into a prompt where it says `{{ name }}`; without values it stays as it is.

    Args:
        text: The prompt.
        values: The values by name.
    """
    if not values:
        return text
    if "{%" in text:
        raise ValueError("statements such as `{% for … %}` are not filled in here; use the block `@template` before")

    def filled(match: re.Match[str]) -> str:
        path = match[1].strip()
        found: Any = values
        for name, index in re.findall(r"([^.\[\]]+)|\[(-?\d+)\]", path):
            try:
                found = found[int(index)] if index else found[name.strip()]
            except (KeyError, IndexError, TypeError):
                raise ValueError(f"`{path}` is not among the values") from None
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    return re.sub(r"\{\{(.*?)\}\}", filled, text)


@selfmade.function(
    tests=[
        {
            "input": {"prompt": "Greet {{ name }}", "prompt_values": {"name": "Ada"}, "sys_prompt": "Be kind"},
            "mocks": [{"function": "ask_model", "output": {"content": "Hello Ada"}}],
            "expect": {
                "pins": [
                    ["response", "Hello Ada"],
                    [
                        "prompt",
                        [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Greet Ada"}],
                    ],
                ]
            },
        },
        {
            "name": "braces stay if there are no values",
            "input": {"prompt": "{{ a }}"},
            "mocks": [{"function": "ask_model", "output": {"content": None}}],
            "expect": {"pins": [["response", ""], ["prompt", [{"role": "user", "content": "{{ a }}"}]]]},
        },
    ],
)
def generate_text(
    prompt: str,
    model: str = "gpt-4o-mini",
    sys_prompt: str = "",
    prompt_values: dict[str, Any] | None = None,
    retry: int = 3,
    max_tokens: int | None = None,
) -> Iterator[tuple[str, Any]]:
    """Let a language model write a text.

    Args:
        prompt: What to write.
        model: The model, if the server's settings name none.
        sys_prompt: How to write.
        prompt_values: Values for `{{ name }}` in both prompts.
        retry: How often to ask if the model does not answer; a wrong key or too many requests are not asked again.
        max_tokens: The most tokens of the answer.
    """
    from selfmade import Failed

    asked: list[dict[str, Any]] = []
    if sys_prompt:
        asked.append({"role": "system", "content": fill_prompt(sys_prompt, prompt_values)})
    asked.append({"role": "user", "content": fill_prompt(prompt, prompt_values)})
    for tried in range(1, retry + 1):
        try:
            response: str = ask_model(asked, model, max_tokens).get("content") or ""
            break
        except (Failed, RuntimeError) as error:
            if tried == retry or re.search(r"answered 40[13]|answered 429|timed out", str(error)):
                raise
    yield "response", response
    yield "prompt", asked


@selfmade.function(
    tests=[
        {
            "input": {"prompt": "Rate it", "expected_format": {"score": "0 to 5"}},
            "mocks": [{"function": "ask_model", "output": {"content": 'Sure:\n```json\n{"score": 0}\n```'}}],
            "expect": {
                "pins": [
                    ["response", {"score": 0}],
                    [
                        "prompt",
                        [
                            {
                                "role": "system",
                                "content": 'Answer with one JSON object of this form and nothing else:\n{"score": "0 to 5"}',
                            },
                            {"role": "user", "content": "Rate it"},
                        ],
                    ],
                ]
            },
        },
        {
            "name": "an answer without what was asked for",
            "input": {"prompt": "Rate it", "expected_format": {"score": "", "why": ""}, "retry": 2},
            "mocks": [{"function": "ask_model", "output": {"content": '{"score": 1}'}}],
            "expect": {
                "error": {"type": "ValueError", "message": "2 answers did not fit; the last: `why` is missing"}
            },
        },
        {
            "name": "a list was asked for",
            "input": {"prompt": "Rate", "expected_format": {"a": ""}, "list_result": True, "retry": 1},
            "mocks": [{"function": "ask_model", "output": {"content": "no JSON"}}],
            "expect": {"error": {"type": "ValueError", "message": "it contains no JSON list"}},
        },
    ],
)
def generate_structured(
    prompt: str,
    expected_format: dict[str, Any],
    model: str = "gpt-4o-mini",
    sys_prompt: str = "",
    prompt_values: dict[str, Any] | None = None,
    list_result: bool = False,
    retry: int = 3,
    max_tokens: int | None = None,
    conversation_history: list[dict[str, Any]] | None = None,
) -> Iterator[tuple[str, Any]]:
    """Let a language model answer with an object that has certain keys; what is wrong with an answer is told to it.

    Args:
        prompt: What to answer.
        expected_format: The keys, each with a description of its value.
        model: The model, if the server's settings name none.
        sys_prompt: How to answer.
        prompt_values: Values for `{{ name }}` in both prompts.
        list_result: Whether a list of such objects is wanted.
        retry: How often to ask in all.
        max_tokens: The most tokens of an answer.
        conversation_history: Messages that stand before the prompt.
    """
    form = json.dumps([expected_format] if list_result else expected_format, ensure_ascii=False)
    kind = "JSON list of objects" if list_result else "JSON object"
    asked: list[dict[str, Any]] = list(conversation_history or [])
    if sys_prompt:
        asked.append({"role": "system", "content": fill_prompt(sys_prompt, prompt_values)})
    asked.append({"role": "system", "content": f"Answer with one {kind} of this form and nothing else:\n{form}"})
    asked.append({"role": "user", "content": fill_prompt(prompt, prompt_values)})

    def read(answer: str) -> Any:
        decoder = json.JSONDecoder()
        wanted = list if list_result else dict
        for match in re.finditer(r"[\[{]", answer):
            try:
                found, _ = decoder.raw_decode(answer, match.start())
            except ValueError:
                continue
            if isinstance(found, wanted):
                return found
        raise ValueError(f"it contains no JSON {'list' if list_result else 'object'}")

    def check(response: Any) -> None:
        for entry in response if list_result else [response]:
            if not isinstance(entry, dict):
                raise ValueError(f"`{json.dumps(entry)[:50]}` in the list is not an object")
            missing = [f"`{key}`" for key in expected_format if key not in entry]
            if missing:
                raise ValueError(f"{', '.join(missing)} is missing")

    conversation = list(asked)
    fault = ""
    for _ in range(retry):
        answer = ask_model(conversation, model, max_tokens).get("content") or ""
        try:
            response = read(answer)
            check(response)
            break
        except ValueError as error:
            fault = str(error)
            told = f"This does not fit: {fault}. Answer again, with one {kind} of the form given and nothing else."
            conversation += [{"role": "assistant", "content": answer}, {"role": "user", "content": told}]
    else:
        raise ValueError(f"{retry} answers did not fit; the last: {fault}")
    yield "response", response
    yield "prompt", asked


@selfmade.function(
    tests=[
        {
            "input": {"messages": [{"role": "user", "content": "Hi"}], "prompt": "Bye"},
            "mocks": [{"function": "ask_model", "output": {"content": "See you"}}],
            "expect": {
                "pins": [
                    ["response", "See you"],
                    ["prompt", [{"role": "user", "content": "Hi"}, {"role": "user", "content": "Bye"}]],
                ]
            },
        },
        {
            "name": "nothing to answer",
            "input": {"messages": []},
            "expect": {"error": {"type": "ValueError", "message": "`messages` or a `prompt`"}},
        },
    ],
)
def converse(
    messages: list[dict[str, Any]], prompt: str = "", model: str = "gpt-4o-mini", max_tokens: int | None = None
) -> Iterator[tuple[str, Any]]:
    """Let a language model go on with a conversation.

    Args:
        messages: The conversation so far, each with `role` and `content`.
        prompt: One more message of the user.
        model: The model, if the server's settings name none.
        max_tokens: The most tokens of the answer.
    """
    asked: list[dict[str, Any]] = list(messages)
    if prompt:
        asked.append({"role": "user", "content": prompt})
    if not asked:
        raise ValueError("give `messages` or a `prompt`")
    response: str = ask_model(asked, model, max_tokens).get("content") or ""
    yield "response", response
    yield "prompt", asked


@selfmade.function(
    tests=[
        {
            "input": {"text": "a b c", "style": "brief", "focus": "b"},
            "mocks": [{"function": "ask_model", "output": {"content": "b"}}],
            "expect": {
                "pins": [
                    ["summary", "b"],
                    [
                        "prompt",
                        [{"role": "user", "content": "Summarise this text, in the style: brief. Focus on: b.\n\na b c"}],
                    ],
                ]
            },
        },
        {
            "name": "parts must be longer than what they share",
            "input": {"text": "a", "max_tokens": 100, "chunk_overlap": 100},
            "expect": {"error": {"type": "ValueError", "message": "`chunk_overlap`"}},
        },
    ],
)
def summarise_text(
    text: str,
    model: str = "gpt-4o-mini",
    focus: str = "",
    style: str = "concise",
    max_tokens: int = 4096,
    chunk_overlap: int = 100,
) -> Iterator[tuple[str, Any]]:
    """Let a language model summarise a text, a long one part by part.

    Args:
        text: The text.
        model: The model, if the server's settings name none.
        focus: What matters most in it.
        style: How to write the summary.
        max_tokens: The most words of a part, and the most tokens of an answer.
        chunk_overlap: How many words two parts share.
    """
    words = text.split()
    step = max_tokens - chunk_overlap
    if step < 1:
        raise ValueError("`chunk_overlap` must be less than `max_tokens`")
    starts = range(0, max(1, len(words) - chunk_overlap), step)
    if len(starts) > 100:
        raise ValueError(f"the text makes {len(starts)} parts, and at most 100 are summarised; raise `max_tokens`")
    wish = f", in the style: {style}." + (f" Focus on: {focus}." if focus else "")

    def ask(what: str, about: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": f"Summarise {what}{wish}\n\n{about}"}]

    parts = [" ".join(words[start : start + max_tokens]) for start in starts]
    asked: list[dict[str, Any]] = ask("this text", parts[0])
    found = [ask_model(ask("this text", part), model, max_tokens).get("content") or "" for part in parts]
    if len(found) > 1:
        asked = ask("these summaries of the parts of a text in one", "\n\n".join(found))
        found = [ask_model(asked, model, max_tokens).get("content") or ""]
    summary: str = found[0]
    yield "summary", summary
    yield "prompt", asked


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
