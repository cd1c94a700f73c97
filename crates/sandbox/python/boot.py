# What a zygote executes once it has received its `program` over the `control` socket. Each module has a name of its own, so
# that tracebacks can tell our frames from others.
import marshal
import os
import sys


def compiled(modules):
    """Compiling leaves memory full of holes, and each page of it would be copied for every cell. So another process does it."""
    read, write = os.pipe()
    if os.fork() == 0:
        code = [(name, compile(source, f"<{name}>", "exec")) for name, source in modules]
        with open(write, "wb") as pipe:
            pipe.write(marshal.dumps(code))
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        code = marshal.loads(pipe.read())
    os.wait()
    return code


for name, code in compiled(program.pop("modules")):
    module = type(sys)(name)
    sys.modules[name] = module
    exec(code, module.__dict__)
del code
sys.modules["_cell_zygote"].serve(control, program["boot"])
