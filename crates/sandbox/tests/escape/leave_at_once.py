# must: crashed exit 0
def f(outside):
    import os

    os._exit(0)
