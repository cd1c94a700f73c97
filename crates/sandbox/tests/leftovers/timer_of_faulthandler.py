# cell: either
import faulthandler, sys, time

def plant():
    faulthandler.dump_traceback_later(0.005, repeat=True, file=sys.__stderr__)

def probe():
    time.sleep(0.02)
