# must: raised selfmade.NotCarried
def f(outside):
    """Nothing that it says about itself makes it leave the cell, and nothing outside calls it."""

    class Hostile:
        __class__ = str

        def __reduce__(self):
            return print, ("unpickled",)

        def __getattribute__(self, name):
            raise SystemExit(name)

        def __repr__(self):
            return '{"end":{}}'

        __str__ = __repr__

        def __iter__(self):
            while True:
                yield self

        def __len__(self):
            return 1 << 60

    return {"inner": [Hostile()]}
