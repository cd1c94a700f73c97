import selfmade


@selfmade.function(secrets=["plain", "lines"], brain="propose", files=True)
def plant():
    import json
    import logging
    import sys

    from selfmade import Failed, NotCarried, Refused, brain, emit, files, log, run, secrets, sleep

    def attempt(do, *args, **kwargs):
        try:
            return do(*args, **kwargs)
        except (Refused, Failed, NotCarried, TypeError, ValueError) as error:
            print("told:", error)

    kept = []
    for value in (secrets.plain, secrets.lines):
        print(value, repr(value), json.dumps(value), [value], {value: 1})
        print(value.encode(), file=sys.stderr)
        for part in (value[:7], value[7:], "\n"):
            sys.stdout.write(part)
            sys.stdout.flush()
        logging.error("key: %s", value)
        echo(value)
        echo({value: [value, (value, {value})]})
        echo(value.encode())
        echo(n=value)
        echo("x" * (2000 - len(value) * 3 // 4) + value)
        attempt(fail, value)
        attempt(emit, value, 1)
        attempt(emit, "told", {value: value, "more": [value.encode()]})
        attempt(log, value)
        attempt(log, {"key": value})
        attempt(run, "leaf", value)
        attempt(run, "leaf", x=value)
        attempt(run, value)
        attempt(run, "leaf", **{value: 1})
        attempt(sleep, value)
        attempt(sleep, **{value: 1})
        attempt(files.write, "notes.txt", "key: " + value)
        attempt(files.write, "notes.bin", value.encode())
        attempt(files.write, value, "x")
        attempt(files.read, value)
        kept.append(attempt(files.read, "notes.txt"))
        attempt(brain.draft, f"def drafted():\n    return {value!r}\n")
        attempt(brain.draft, value)
        attempt(brain.draft, "def drafted():\n    return 1\n")
        attempt(brain.propose, value)
        attempt(brain.search, value)
        attempt(brain.read, value)
        attempt(brain.list, value)
    values = [secrets.plain, secrets.lines]
    return {secrets.plain: values, "bytes": secrets.plain.encode(), "tuple": tuple(values), "set": {secrets.plain}, "kept": kept}


@selfmade.function
def echo(n):
    return n


@selfmade.function
def fail(n):
    raise type(n, (ValueError,), {})(n)


@selfmade.function
def leaf(x):
    print("leaf", x)
    return x


@selfmade.function(secrets=["plain", "lines"], retries={"attempts": 2, "first": 0.01, "most": 0.01})
def raises():
    from selfmade import secrets

    try:
        raise KeyError(secrets.lines)
    except KeyError as error:
        raise type(secrets.plain, (Exception,), {})(secrets.lines, {secrets.plain: 1}) from error


@selfmade.function(secrets=["plain", "lines"])
def yields():
    from selfmade import secrets

    yield "plain", secrets.plain
    yield "lines", {secrets.lines: secrets.lines}


@selfmade.function(secrets=["plain", "lines"])
def asks():
    from selfmade import ask, secrets

    return ask(secrets.plain, [secrets.lines, secrets.plain])


@selfmade.function(secrets=["plain"], network=["example.com"])
def holder(n):
    from selfmade import secrets

    return [n, secrets.plain]


@selfmade.function(secrets=["lines"])
def elsewhere():
    """The holder may reach more, so it runs in a cell of its own."""
    from selfmade import secrets

    return holder({"given": secrets.lines})


@selfmade.function
def taker(x):
    print("taken:", x)
    echo(x)
    raise ValueError(x)
