# cell: kept
import os, tempfile

def plant():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)

def probe():
    return os.getcwd()
