# must: timed_out Wall
# must: broke_protocol
# limits: wall_ms=500
def f(outside):
    import os
    import socket
    import time

    socket.socket(fileno=os.dup(4)).shutdown(socket.SHUT_RD)
    time.sleep(60)
