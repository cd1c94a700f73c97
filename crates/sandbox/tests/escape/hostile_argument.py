# must: raised selfmade.NotCarried
def f(outside):
    """An argument of a verb goes the same way as a result."""
    import selfmade

    class Hostile:
        def __reduce__(self):
            return print, ("unpickled",)

    return selfmade.echo({"a": [Hostile()]})
