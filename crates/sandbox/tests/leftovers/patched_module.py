# cell: ended
import json

def plant():
    json.dumps = lambda value: "what another run says"

def probe():
    return json.dumps([1])
