# must: returned "contained"
def f(outside):
    """Up and around: links to links, folders moved while they are walked, descriptors of folders kept."""
    import os

    for target, name in (("/", "root"), ("../../../../..", "up"), ("up", "far"), ("loop", "loop")):
        os.symlink(target, name)
    os.makedirs("a/b/c")
    deep = os.open("a/b/c", os.O_RDONLY)
    os.rename("a/b/c", "c")
    for start in ("root", "far", "up", "c"):
        at = os.open(start, os.O_PATH)
        for _ in range(20):
            at = os.open("..", os.O_PATH, dir_fd=at)
        for path in outside["files"]:
            try:
                os.open(path.lstrip("/"), os.O_RDONLY, dir_fd=at)
            except OSError:
                continue
            return [start, path]
    os.fchdir(deep)
    os.chdir("../../../../../../..")
    return "contained" if os.getcwd() == "/" and not os.path.exists(outside["file"]) else os.getcwd()
