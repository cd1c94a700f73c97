# cell: kept
import resource

def plant():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, hard))

def probe():
    return resource.getrlimit(resource.RLIMIT_NOFILE)
