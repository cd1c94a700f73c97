# must: returned "contained"
def f(outside):
    """Programs it brought along: as a file, through the loader, as a mapping, from memory alone."""
    import mmap
    import os
    import shutil
    import sys

    shutil.copyfile(sys.executable, "program")
    os.chmod("program", 0o755)
    open("script", "w").write(f"#!{sys.executable}\n")
    os.chmod("script", 0o755)
    here = os.getcwd()
    loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    commands = [["./program", "-c", ""], ["./script"], *([loader, here + "/program", "-c", ""] for loader in loaders if os.path.exists(loader))]
    for command in commands:
        child = os.fork()
        if child == 0:
            try:
                os.execv(command[0], command)
            except OSError:
                os._exit(42)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            return command
    try:
        mmap.mmap(os.open("program", os.O_RDONLY), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
        return "mapped"
    except PermissionError:
        pass
    try:
        return ["memfd", os.memfd_create("program")]
    except OSError:
        return "contained"
