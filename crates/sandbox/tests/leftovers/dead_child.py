# cell: kept
import os

def plant():
    child = os.fork()
    if child == 0:
        os._exit(3)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

def probe():
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError as error:
        return str(error)
