# must: returned "contained"
def f(outside):
    import os

    for change in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0])):
        try:
            change()
        except OSError:
            continue
        return [os.getuid(), os.geteuid()]
    return "contained" if os.getuid() != 0 else os.getuid()
