# must: broke_protocol
def f(outside):
    """Few bytes each, but every one of them a value that has to be kept."""
    import os

    body = b'{"yield":[' + b"[]," * 200_000 + b"[]]}"
    body = len(body).to_bytes(4, "big") + body
    while True:
        rest = body
        while rest:
            rest = rest[os.write(4, rest) :]
