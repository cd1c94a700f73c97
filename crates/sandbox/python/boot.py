# The first thing a zygote executes, handed over with `-c`: takes the rest of the program from the control socket, because
# the sandbox shows no folder of ours. Each module is a name of its own, so that tracebacks can tell our frames from others.
import json
import socket
import sys
import types

control = socket.socket(fileno=0)
program = json.loads(control.recv(1 << 20))
for name, source in program["modules"]:
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
sys.modules["_cell_zygote"].serve(control, program["boot"])
