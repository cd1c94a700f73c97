# cell: ended
import os

def plant():
    os.dup2(2, 1)

def probe():
    print("where does it go?")
