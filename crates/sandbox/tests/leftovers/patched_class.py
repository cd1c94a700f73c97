# cell: ended
import json

def plant():
    json.JSONEncoder.default = lambda self, value: "what another run says"

def probe():
    try:
        return json.dumps(object())
    except TypeError as error:
        return "an error, as it must be"
