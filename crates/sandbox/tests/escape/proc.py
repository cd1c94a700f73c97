# must: raised FileNotFoundError
def f(outside):
    import os

    return os.listdir("/proc")
