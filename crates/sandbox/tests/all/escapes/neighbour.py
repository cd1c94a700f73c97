def f(told):
    import os
    import socket

    import selfmade

    def seen():
        return [os.getcwd(), sorted(os.listdir("/tmp")), open(told["file"]).read(), dict(os.environ), os.getpriority(os.PRIO_PROCESS, 0)]

    secret = selfmade.secrets.K
    with open(told["file"], "w") as file:
        file.write(secret)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0" + told["abstract"])
    listener.listen()
    listener.setblocking(False)
    before = seen()
    selfmade.wait()
    if seen() != before or selfmade.secrets.K != secret:
        return [before, seen()]
    try:
        listener.accept()
    except BlockingIOError:
        return "untouched"
    return "somebody called"
