# must: returned "contained"
def f(outside):
    import os
    import sys

    for folder in (os.path.dirname(os.__file__), "/", "/usr/lib", "/etc", "/dev", "/private", os.path.dirname(sys.executable)):
        try:
            open(os.path.join(folder, "evil.py"), "w")
        except OSError:
            continue
        return folder
    return "contained"
