# must: returned "contained"
def f(outside):
    import os

    os.symlink(outside["file"], "link")
    os.symlink("../../../../../../../.." + outside["file"], "far")
    for name in ("link", "far", "/private/cell/../../../../.." + outside["file"]):
        try:
            return open(name).read()
        except FileNotFoundError:
            pass
    return "contained"
