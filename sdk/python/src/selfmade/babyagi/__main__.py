"""`python -m selfmade.babyagi SCRIPT [ARGUMENTS]`: runs a script that was written for BabyAGI.

Some of BabyAGI's own examples use `app` before they make it, and `os` without importing it, so both are there from the
beginning.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from selfmade.babyagi import create_app, install


def main() -> None:
    usage = "usage: python -m selfmade.babyagi SCRIPT [ARGUMENTS]"
    if len(sys.argv) < 2:
        sys.exit(usage)
    if sys.argv[1] in ("-h", "--help"):
        print(f"{usage}\n\nRuns a script that was written for BabyAGI on selfmade.")
        return
    if not Path(sys.argv[1]).is_file():
        sys.exit(f"`{sys.argv[1]}` is not a file\n{usage}")
    del sys.argv[0]
    install()
    script = sys.argv[0]
    sys.path.insert(0, str(Path(script).resolve().parent))
    runpy.run_path(script, init_globals={"app": create_app(), "os": os}, run_name="__main__")


main()
