# cell: ended
import threading

def plant():
    threading.Timer(60, print, ["the timer of another run"]).start()

def probe():
    return threading.active_count()
