# must: raised FileNotFoundError
def f(outside):
    return open("/etc/shadow").read()
