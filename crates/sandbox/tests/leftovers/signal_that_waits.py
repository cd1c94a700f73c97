# cell: ended
import os, signal

def plant():
    signal.signal(signal.SIGUSR2, lambda number, frame: print("a signal of another run"))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    os.kill(os.getpid(), signal.SIGUSR2)

def probe():
    return sorted(signal.sigpending())
