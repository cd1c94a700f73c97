# cell: ended
import os

def plant():
    os.nice(5)

def probe():
    return os.nice(0)
