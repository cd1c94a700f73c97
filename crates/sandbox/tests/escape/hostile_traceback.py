# must: raised f.f.<locals>.Hostile
def f(outside):
    """What reports of exceptions are made of is all false."""

    class Hostile(Exception):
        __cause__ = 7
        __context__ = "context"
        __traceback__ = property(lambda self: 1 / 0)
        __suppress_context__ = property(lambda self: 1 / 0)

        @property
        def args(self):
            raise SystemExit

    raise Hostile
