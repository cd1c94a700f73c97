"""A language model for tests: OpenAI's API, answered by rules instead of by thinking.

The first rule whose words are all in what was asked answers; a rule is words and an answer, which may be made from the
request.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Rule = tuple[tuple[str, ...], "str | Callable[[dict[str, Any]], Any]"]


class ModelServer:
    """Listens on a port of its own until the tests end."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        # What was asked, in order: the path, the key, the request.
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._http.serve_forever, name="model", daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def answer(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/embeddings"):
            return {"data": [{"embedding": embedded(text)} for text in request["input"]]}
        said = "\n".join(str(message["content"]) for message in request["messages"])
        for words, answer in self.rules:
            if all(word in said for word in words):
                found = answer(request) if callable(answer) else answer
                break
        else:
            found = f"a model read {len(said)} characters"
        message = found if isinstance(found, dict) else {"content": found}
        return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


def embedded(text: str) -> list[float]:
    """How often each of some letters is there: alike for texts that are alike."""
    return [float(text.lower().count(letter)) for letter in "aeiourst"]


def tool_call(name: str, **arguments: Any) -> dict[str, Any]:
    """A message that asks for a function."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append((self.path, self.headers.get("Authorization", ""), request))
            body = json.dumps(model.answer(self.path, request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Tests look at what was asked, not at a log of it."""

    return Handler
