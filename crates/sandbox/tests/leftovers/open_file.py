# cell: ended
import os

def plant():
    os.open("note", os.O_CREAT | os.O_RDWR)

def probe():
    try:
        return os.fstat(3).st_size
    except OSError as error:
        return str(error)
