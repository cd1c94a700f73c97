# must: raised FileNotFoundError
def f(outside):
    return open(outside["file"]).read()
