# must: raised
def f(outside):
    raise type("x" * (20 << 20), (Exception,), {})
