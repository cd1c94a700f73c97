# must: returned "contained"
def f(outside):
    """Forked twice, in sessions of their own, with every signal ignored; the test sees that none outlives the cell."""
    import os
    import signal

    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(1, 32):
                    try:
                        signal.signal(number, signal.SIG_IGN)
                    except OSError:
                        pass
                os.closerange(0, 256)
                while True:
                    signal.pause()
            os._exit(0)
        os.wait()
    return "contained"
