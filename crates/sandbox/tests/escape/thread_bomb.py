# must: returned "contained"
# limits: processes=16
def f(outside):
    import threading
    import time

    for started in range(100):
        try:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        except RuntimeError:
            return "contained" if started < 16 else started
