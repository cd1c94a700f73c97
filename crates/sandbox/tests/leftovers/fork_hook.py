# cell: ended
import os

def plant():
    os.register_at_fork(before=lambda: print("a hook of another run", flush=True))

def probe():
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
