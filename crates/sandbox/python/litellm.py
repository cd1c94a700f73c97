"""A module `litellm` for functions that reach a language model through it: `completion` and `embedding`, asked of the server,
which knows where the model is and holds its key. The package itself, where an environment has it, goes first.
"""

import os
import sys
from _frozen_importlib import ModuleSpec

# Of litellm's arguments those that say how to reach a model; that is the server's business.
_ABOUT_THE_WAY = {
    "api_base", "api_key", "api_version", "base_url", "caching", "custom_llm_provider", "drop_params", "max_retries",
    "num_retries", "timeout",
}  # fmt: skip


class APIError(RuntimeError):
    """The model did not answer."""

    __module__ = "litellm.exceptions"


class Response(dict):
    """What the model answered: its fields are items and attributes."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self:
            return self[name]
        # Fields that a model may leave out.
        if name in ("content", "function_call", "refusal", "tool_calls", "usage"):
            return None
        raise AttributeError(f"the answer has no `{name}`")

    def model_dump(self, **options):
        return plain(self)

    dict = to_dict = model_dump


def completion(model, messages=(), **options):
    if options.pop("stream", False):
        raise ValueError("answers are not streamed into functions; leave `stream` out")
    form = options.get("response_format")
    if isinstance(form, type):
        options["response_format"] = _schema(form)
    return _ask("complete", model, messages=list(messages), **options)


def embedding(model, input=(), **options):
    return _ask("embed", model, input=input, **options)


def _ask(verb, model, **request):
    host = sys.modules["selfmade"]
    request = {name: plain(value) for name, value in request.items() if name not in _ABOUT_THE_WAY and value is not None}
    try:
        answer = getattr(host.model, verb)({"model": model.removeprefix("openai/"), **request})
    except host.Failed as error:
        raise APIError(str(error)) from error
    return _response(answer)


def _schema(model):
    """What a class of pydantic's asks for."""
    return {"type": "json_schema", "json_schema": {"name": model.__name__, "schema": model.model_json_schema()}}


def _response(value):
    if isinstance(value, dict):
        return Response((name, _response(item)) for name, item in value.items())
    return [_response(item) for item in value] if isinstance(value, list) else value


def plain(value):
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(value.model_dump()) if hasattr(value, "model_dump") else value


class Finder:
    """Finds the module when nothing else did. Made into one only then, because few functions need it."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return ModuleSpec(name, cls, is_package=name == "litellm") if name in ("litellm", "litellm.exceptions") else None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        module.APIError = APIError
        if module.__name__ == "litellm":
            module.completion, module.embedding, module.set_verbose = completion, embedding, False
            # Functions ask for the key before they ask the model, and need none.
            os.environ.setdefault("OPENAI_API_KEY", "held-by-the-server")
