# cell: ended
import os

def plant():
    for _ in range(3000):
        os.mkdir("deeper")
        os.chdir("deeper")

def probe():
    return os.listdir()
