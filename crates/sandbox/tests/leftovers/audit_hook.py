# cell: ended
import os, sys

def plant():
    sys.addaudithook(lambda event, told: event == "os.listdir" and print("a hook of another run"))

def probe():
    os.listdir()
