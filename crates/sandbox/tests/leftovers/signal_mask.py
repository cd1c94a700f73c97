# cell: kept
import signal

def plant():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])

def probe():
    return sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))
