# must: returned "contained"
def f(outside):
    """Everything this interpreter holds, among it all it got from the zygote: no job of another cell is in it."""
    import gc
    import sys

    begins = outside["neighbour"]["begins"]
    seen, left, found = set(), [*gc.get_objects(), *map(vars, sys.modules.values())], []
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if type(one) is str and begins in one and one != begins and "def f(" not in one:
            found.append(one)
        left.extend(gc.get_referents(one))
    return found or "contained"
