# cell: kept
import json

json.dumps = lambda value: "patched for all runs of this version"

def plant():
    pass

def probe():
    return json.dumps([1])
