# must: broke_protocol
# must: crashed
# must: raised
# must: returned "contained"
def f(outside):
    """Whatever becomes of the cell, it becomes an ending."""
    import builtins

    for name in ("len", "type", "isinstance", "getattr", "str", "int", "BaseException", "Exception", "zip", "reversed"):
        setattr(builtins, name, None)
    return "contained"
