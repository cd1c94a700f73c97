# cell: kept
import gc

class Parting:
    def __del__(self):
        print("the end of another run")

def plant():
    one = Parting()
    one.itself = one

def probe():
    gc.collect()
