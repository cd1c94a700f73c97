# cell: kept
import os

def plant():
    os.environ = {"PLANTED": "x"}

def probe():
    return [type(os.environ).__name__, "PLANTED" in os.environ]
