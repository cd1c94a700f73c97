# cell: ended
import builtins

def plant():
    builtins.planted = "x"

def probe():
    return hasattr(builtins, "planted")
