# cell: ended
import os, time

def plant():
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)

def probe():
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError as error:
        return str(error)
