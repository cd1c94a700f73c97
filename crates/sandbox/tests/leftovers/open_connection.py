# cell: kept
import os, socket

ends = []

def plant():
    ends[:] = socket.socketpair()
    ends[0].send(b"what another run sent")
    ends[1].recv(100)

def probe():
    if not ends:
        return "closed"
    try:
        ends[0].send(b"to another run")
    except BrokenPipeError:
        return "closed"
