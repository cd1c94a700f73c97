# must: crashed exit 70
def f(outside):
    """A pipe where the socket was."""
    import os

    os.dup2(os.pipe()[1], 4)
    return "contained"
