import selfmade


@selfmade.function(brain="read", files=True)
def guess_all(halves: list):
    """Tries every beginning of each value wherever something could be told about it."""
    import sys

    from selfmade import Failed, NotCarried, Refused, emit, files, log, run

    heard = []

    def attempt(do, *args):
        try:
            heard.append(repr(do(*args)))
        except (Refused, Failed, NotCarried, ValueError) as error:
            heard.append(f"{type(error).__name__}: {error}")

    values = ["".join(parts) for parts in halves]
    for value in values:
        for length in range(1, len(value) + 1):
            part = value[:length]
            print(part, end="", flush=True)
            print("|", end="", file=sys.stderr, flush=True)
            log(part)
            repeat("x" * (2001 - length) + part)
        for text in (value[:6], value):
            attempt(emit, text + " !", text)
            attempt(emit, "told", {text: [text.encode()]})
            attempt(files.write, "/" + text, text)
            attempt(files.write, "notes", text)
            attempt(files.read, "notes")
            attempt(run, "repeat", text)
            attempt(run, "repeat_in_turn", text)
            attempt(run, "refuse", text)
            attempt(run, text)
    raise ValueError("\n".join(heard) + "x" * 20_000 + values[0][:8])


@selfmade.function
def repeat(x):
    return x


@selfmade.function(concurrency=1)
def repeat_in_turn(x):
    print(x)
    return x


@selfmade.function
def refuse(x):
    raise ValueError("y" * 20_000 + x)
