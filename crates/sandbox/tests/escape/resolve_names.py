# must: raised socket.gaierror
def f(outside):
    import socket

    return socket.getaddrinfo("example.com", 80)
