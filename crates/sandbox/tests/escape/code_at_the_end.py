# must: returned "contained"
def f(outside):
    """What would run when the interpreter shuts down never runs, because it never does."""
    import atexit
    import sys
    import threading

    def forever(*_):
        while True:
            pass

    class Sticky:
        __del__ = forever

    atexit.register(forever)
    threading._register_atexit(forever)
    sys.excepthook = sys.unraisablehook = forever
    sys.sticky = Sticky()
    return "contained"
