# must: raised f.f.<locals>.Hostile
def f(outside):
    """It has no message, no end of causes, and does not like to be compared."""

    class Hostile(Exception):
        def __str__(self):
            raise SystemExit

        __repr__ = __str__

        def __eq__(self, other):
            raise SystemExit

        __hash__ = None
        __notes__ = property(__str__)

    error = Hostile()
    error.__cause__ = Hostile()
    error.__cause__.__context__ = error
    raise error
