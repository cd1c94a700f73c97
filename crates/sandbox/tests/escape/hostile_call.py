# must: returned "contained"
def f(outside):
    """The record of a call describes what was handed over, and asks it nothing."""
    touched = []

    class Meta(type):
        def __getattribute__(cls, name):
            touched.append(name)
            raise SystemExit(name)

    class Hostile(metaclass=Meta):
        def __getattribute__(self, name):
            touched.append(name)
            raise SystemExit(name)

        def __repr__(self):
            touched.append("repr")
            raise SystemExit

        __str__ = __len__ = __iter__ = __bool__ = __hash__ = __repr__

        def __eq__(self, other):
            touched.append("eq")
            raise SystemExit

    one = Hostile()
    given = helper(one, [one], {"k": one}, named=one)
    return "contained" if given[0] is one and not touched else touched
