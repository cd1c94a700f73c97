# cell: kept
import os, signal

def plant():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR2, lambda number, frame: print("a handler of another run"))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)

def probe():
    signals = signal.SIGTERM, signal.SIGUSR2, signal.SIGINT
    return [str(signal.getsignal(number)) for number in signals] + [callable(signal.getsignal(signal.SIGUSR1))]
