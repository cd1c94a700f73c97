# cell: ended
import os

def plant():
    read, write = os.pipe()
    os.write(write, b"what another run wrote")
    os.dup2(read, 200)

def probe():
    try:
        return os.read(200, 100).decode()
    except OSError as error:
        return str(error)
