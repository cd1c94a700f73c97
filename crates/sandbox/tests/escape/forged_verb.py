# must: returned "contained"
def f(outside):
    """A verb that was not granted, asked for past the module that would refuse it."""
    import json
    import os

    body = b'{"verb":{"number":18446744073709551615,"lane":"main","verb":"forbidden","positional":[],"named":{}}}'
    os.write(4, len(body).to_bytes(4, "big") + body)
    size = int.from_bytes(os.read(4, 4), "big")
    answer = json.loads(os.read(4, size))["answer"]
    return "contained" if set(answer) == {"number", "refused"} else answer
