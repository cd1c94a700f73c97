# cell: kept
import io, sys

def plant():
    print("half a line of another run", end="")
    sys.stdout = io.StringIO()

def probe():
    print("a whole one")
    return type(sys.stdout).__name__
