# must: crashed signal 11
def f(outside):
    """The limit of Python is lifted, so that the one of the machine is met."""
    import sys
    import threading

    sys.setrecursionlimit(1 << 30)

    class Deep:
        def __getattr__(self, name):
            return getattr(self, name)

    threading.stack_size(64 << 10)
    thread = threading.Thread(target=lambda: Deep().name)
    thread.start()
    thread.join()
