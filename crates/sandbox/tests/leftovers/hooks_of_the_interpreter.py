# cell: kept
import sys

def plant():
    def hook(*told):
        print("a hook of another run")
    sys.excepthook = sys.displayhook = sys.unraisablehook = sys.breakpointhook = hook
    sys.setrecursionlimit(150)
    sys.setswitchinterval(1)
    sys.path.insert(0, "/nowhere")
    sys.meta_path.clear()

def probe():
    sys.unraisablehook
    hooks = sys.excepthook, sys.displayhook, sys.unraisablehook, sys.breakpointhook
    return [[hook.__name__ for hook in hooks], sys.getrecursionlimit(), sys.getswitchinterval(), sys.path, len(sys.meta_path)]
