# must: returned {"text": "text", "number": 7, "list": [1, 2], "dict": {"k": "v"}, "pair": {"$tuple": [1, 2]}}
def f(outside):
    """Subclasses travel as what they extend, whatever they claim to hold."""

    class Text(str):
        def __str__(self):
            raise SystemExit

        encode = __len__ = __iter__ = __str__

    class Number(int):
        def __index__(self):
            raise SystemExit

        __int__ = __lt__ = __le__ = __ge__ = __repr__ = __index__

    class Endless(list):
        def __iter__(self):
            while True:
                yield self

        def __len__(self):
            return 1 << 60

    class Lying(dict):
        def items(self):
            return [("evil", "evil")] * 3

        __iter__ = keys = values = items

    class Pair(tuple):
        __iter__ = Endless.__iter__

    return {
        "text": Text("text"), "number": Number(7), "list": Endless([1, 2]), "dict": Lying(k="v"), "pair": Pair((1, 2)),
    }
