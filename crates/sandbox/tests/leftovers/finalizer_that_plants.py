# cell: ended
import threading, time

class Parting:
    def __del__(self):
        threading.Thread(target=time.sleep, args=[60], daemon=True).start()

def plant():
    one = Parting()
    one.itself = one

def probe():
    return threading.active_count()
