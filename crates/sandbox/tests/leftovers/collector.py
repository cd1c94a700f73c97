# cell: kept
import gc

def plant():
    gc.callbacks.append(lambda phase, told: print("a callback of another run"))
    gc.disable()
    gc.set_threshold(1, 1, 1)

def probe():
    gc.collect()
    return [len(gc.callbacks), gc.isenabled(), gc.get_threshold()]
