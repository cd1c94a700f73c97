# must: raised f.Giant
# must: out_of_memory
def f(outside):
    """Messages of megabytes and a cause of a cause of a cause: cut, unless making the report takes all its memory."""

    class Giant(Exception):
        def __str__(self):
            return "\N{SNOWMAN}" * (20 << 20)

    Giant.__qualname__ = "Giant"

    def deeper(n):
        if n == 0:
            raise Giant
        try:
            deeper(n - 1)
        except Giant as error:
            raise Giant from error

    deeper(500)
