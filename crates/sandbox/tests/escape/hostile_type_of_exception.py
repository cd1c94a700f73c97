# must: raised
def f(outside):
    """Even its type does not want to be named."""

    class Meta(type):
        @property
        def __qualname__(cls):
            raise SystemExit

        __module__ = __name__ = __qualname__

    class Hostile(Exception, metaclass=Meta):
        pass

    raise Hostile("boo")
