# must: returned "contained"
def f(outside):
    """Code that the next cell would import: written, replaced, renamed, linked, made executable or merely touched."""
    import os
    import sys

    folders = [folder for folder in sys.path if os.path.isdir(folder)]
    victim = os.path.join(os.path.dirname(os.__file__), "this.py")
    attempts = [lambda folder=folder: open(os.path.join(folder, "evil.py"), "w") for folder in folders]
    attempts += [
        lambda: open(victim, "r+"),
        lambda: os.truncate(victim, 0),
        lambda: os.unlink(victim),
        lambda: os.rename(victim, victim + ".old"),
        lambda: os.symlink("/tmp/evil", os.path.dirname(victim) + "/evil"),
        lambda: os.chmod(victim, 0o777),
        lambda: os.chown(victim, os.getuid(), -1),
        lambda: os.utime(victim),
        lambda: os.setxattr(victim, "user.evil", b"1"),
        lambda: os.mkdir(os.path.dirname(victim) + "/__pycache__/evil"),
    ]
    for n, attempt in enumerate(attempts):
        try:
            attempt()
        except OSError:
            continue
        return n
    return "contained" if folders else "there is no folder to try"
