# must: timed_out Wall
# limits: wall_ms=300
def f(outside):
    """Whoever asks for the end, or for where it stands, waits in vain."""
    import signal

    def forever(number, frame):
        while True:
            pass

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, forever)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGQUIT, signal.SIGCHLD})
    while True:
        signal.pause()
