"""The module `selfmade` as functions see it: secrets, and the host verbs they were granted.

A verb is a request to the supervisor and blocks the thread that makes it until the answer comes. The module is made once, in
the zygote; a job only says what is granted.
"""

import _thread
import types

import _cell_lanes as lanes
from _cell_values import NotCarried, decode, encode
from _cell_verbs import signatures


_WITHOUT_LANE = (
    "`{}` is asked for where a run that is executed again could not tell it from other requests: in a callback, or in a thread or "
    "task that was not started by `threading.Thread`, `ThreadPoolExecutor.submit` or `asyncio.create_task`; ask for it there"
)


class Refused(PermissionError):
    """The host does not allow this to this function."""

    __module__ = "selfmade"


class Failed(RuntimeError):
    """The host tried and could not."""

    __module__ = "selfmade"


class BudgetExhausted(RuntimeError):
    """A budget has no room for what was asked."""

    __module__ = "selfmade"


class Secrets:
    """Secrets by name: `secrets.API_KEY` or `secrets["API_KEY"]`."""

    def __init__(self):
        self._values = {}

    def __getitem__(self, name):
        if name not in self._values:
            raise KeyError(f"the secret `{name}` is not granted to this function; declare it with `secrets=[\"{name}\"]`")
        return self._values[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"the secret `{name}` is not granted to this function; declare it with `secrets=[\"{name}\"]`")
        return self._values[name]

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(self._values)

    def __repr__(self):
        return f"<secrets: {', '.join(self._values) or 'none'}>"


class Verbs:
    """Sends requests and hands each answer to the thread that waits for it."""

    def __init__(self, channel, recorder):
        self.channel = channel
        self._recorder = recorder
        self._reading = _thread.allocate_lock()
        self._counting = _thread.allocate_lock()
        self.granted = ()
        self.reset()

    def reset(self):
        self._answers = {}
        self._count = 0

    def ask(self, verb, args, kwargs):
        positional = [encode(value, f"argument {n + 1} of `{verb}`") for n, value in enumerate(args)]
        named = {name: encode(value, f"argument `{name}` of `{verb}`") for name, value in kwargs.items()}
        lane = lanes.current()
        if lane is None:
            raise Refused(_WITHOUT_LANE.format(verb))
        with self._counting:
            self._count = number = self._count + 1
        self._recorder.flush()
        frame = {"number": number, "lane": lane.name, "verb": verb, "positional": positional, "named": named}
        self.channel.send({"verb": frame})
        return self._result(self._wait(number))

    def _wait(self, number):
        while True:
            with self._reading:
                if number in self._answers:
                    return self._answers.pop(number)
                message = self.channel.receive()
                if message is None:
                    raise Failed("the supervisor has gone")
                answer = message["answer"]
                self._answers[answer["number"]] = answer

    @staticmethod
    def _result(answer):
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "failed" in answer:
            raise Failed(answer["failed"])
        if "exhausted" in answer:
            raise BudgetExhausted(answer["exhausted"])
        return decode(answer["value"])


class _NotGranted:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _NotGranted(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        raise Refused(f"`{self._name}` is not granted to this function, or there is no such verb")


class Module(types.ModuleType):
    """What is not written down in it is a verb, or holds verbs whose names begin with its own."""

    def __init__(self, name, doc, verbs, prefix):
        super().__init__(name, doc)
        self._verbs = verbs
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"module `{self.__name__}` has no attribute `{name}`")
        whole = self._prefix + name
        if whole in self._verbs.granted:
            return _verb(self._verbs, whole, name)
        if any(verb.startswith(f"{whole}.") for verb in self._verbs.granted):
            return Module(f"selfmade.{whole}", None, self._verbs, f"{whole}.")
        return _NotGranted(whole)

    def __dir__(self):
        first = {verb[len(self._prefix) :].partition(".")[0] for verb in self._verbs.granted if verb.startswith(self._prefix)}
        return sorted(first.union(super().__dir__()))


def module(verbs, secrets):
    made = Module("selfmade", "What a function may ask of the server that runs it.", verbs, "")
    made.secrets = secrets
    made.Refused, made.Failed, made.BudgetExhausted, made.NotCarried = Refused, Failed, BudgetExhausted, NotCarried
    return made


def _verb(verbs, name, last):
    check = signatures.get(name)
    if check is None:

        def verb(*args, **kwargs):
            return verbs.ask(name, args, kwargs)

    else:

        def verb(*args, **kwargs):
            # Raises the `TypeError` that any function would. They are sent as they were written, because that is what a run that is
            # executed again is compared with.
            check(*args, **kwargs)
            return verbs.ask(name, args, kwargs)

        # From here `help` and `inspect.signature` know the parameters.
        verb.__wrapped__ = check
        verb.__doc__ = check.__doc__
    verb.__module__, verb.__name__, verb.__qualname__ = "selfmade", last, name
    return verb
