# must: crashed signal 6
# must: crashed signal 11
def f(outside):
    """The first process of a namespace is not ended by a signal it sends itself, so the C library takes the next way."""
    import os

    os.abort()
