"""A real server for the tests: started by the package itself, on a brain of its own that goes away with the tests.

`SELFMADE_BINARY` says which program; tests that need it are skipped where it is not set.
"""

import atexit
import os
import shutil
import tempfile
import unittest

HOME = tempfile.mkdtemp(prefix="selfmade-sdk-")
# Registered before the package registers the end of its server, so it runs after that.
atexit.register(shutil.rmtree, HOME, ignore_errors=True)

for name in ("SELFMADE_SERVER", "SELFMADE_TOKEN", "SELFMADE_DATABASE", "SELFMADE_LISTEN", "SELFMADE_PLAIN"):
    os.environ.pop(name, None)
os.environ["SELFMADE_HOME"] = HOME

needs_server = unittest.skipUnless(
    os.environ.get("SELFMADE_BINARY"), "set SELFMADE_BINARY to a `selfmade` program; `cargo xtask test` does"
)
