# cell: kept
import signal, time

def plant():
    signal.signal(signal.SIGALRM, lambda number, frame: print("the alarm of another run"))
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)

def probe():
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    return [signal.getitimer(signal.ITIMER_REAL), str(signal.getsignal(signal.SIGALRM))]
