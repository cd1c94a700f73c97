# cell: ended
import sys, types

def plant():
    sys.modules["json"] = types.SimpleNamespace(dumps=lambda value: "what another run says")

def probe():
    import json
    return json.dumps([1])
