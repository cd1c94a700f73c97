# cell: kept
import os, tempfile

def plant():
    os.makedirs("a/b/c")
    for name in ("note", "a/b/c/deep", ".hidden"):
        with open(name, "w") as file:
            file.write("what another run wrote")
    os.symlink("/", "a/link")
    os.chmod("a/b", 0o500)
    tempfile.NamedTemporaryFile(delete=False).close()

def probe():
    return [sorted(os.listdir(folder)) for folder in (".", tempfile.gettempdir())]
