# cell: kept
import sys

def plant():
    def trace(*told):
        print("a trace of another run")
    sys.settrace(trace)
    sys.setprofile(trace)

def probe():
    return [str(sys.gettrace()), str(sys.getprofile())]
