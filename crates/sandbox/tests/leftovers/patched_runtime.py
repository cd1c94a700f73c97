# cell: ended
import selfmade

def plant():
    selfmade.secrets = {"key": "planted"}

def probe():
    return type(selfmade.secrets).__name__
