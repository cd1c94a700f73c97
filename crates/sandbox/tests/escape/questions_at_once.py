# must: broke_protocol
def f(outside):
    """The verb is granted and never answers; what it was asked with is kept until it does."""
    import os

    body = b'{"verb":{"number":1,"lane":"main","verb":"never","positional":["%s"],"named":{}}}' % (b"x" * (4 << 20))
    body = len(body).to_bytes(4, "big") + body
    while True:
        rest = body
        while rest:
            rest = rest[os.write(4, rest) :]
