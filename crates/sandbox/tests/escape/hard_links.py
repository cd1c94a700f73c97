# must: returned "contained"
def f(outside):
    import os

    open("file", "w").close()
    made = 0
    try:
        while True:
            os.link("file", f"link{made}")
            made += 1
    except OSError:
        pass
    for path in (os.__file__, "/etc/passwd", "/dev/null"):
        try:
            os.link(path, "foreign")
        except OSError:
            continue
        return path
    return "contained" if made <= 4096 else made
