# must: returned "contained"
def f(outside):
    import threading

    for _ in range(8):
        threading.Thread(target=threading.Event().wait, daemon=False).start()
    return "contained"
