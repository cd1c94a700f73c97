# cell: ended
import builtins

def plant():
    builtins.sorted = lambda value: []

def probe():
    return sorted("cba")
