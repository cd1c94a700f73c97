# cell: ended
import resource

def plant():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

def probe():
    with open("note", "w") as file:
        file.write("x")
    return resource.getrlimit(resource.RLIMIT_FSIZE)
