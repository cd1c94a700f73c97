# cell: kept
import os

def plant():
    os.umask(0)

def probe():
    mask = os.umask(0)
    os.umask(mask)
    return mask
