"""A server on a brain of its own, with a model that answers by rules, for all tests of this folder.

`SELFMADE_BINARY` names the program, `SELFMADE_TEST_BABYAGI` a folder with BabyAGI as its package has it, with its
`examples` beside it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from model_server import ModelServer

BABYAGI = Path(os.environ["SELFMADE_TEST_BABYAGI"])
PACKS = BABYAGI / "babyagi" / "functionz" / "packs"
EXAMPLES = BABYAGI / "examples"

HOME = Path(tempfile.mkdtemp(prefix="selfmade-babyagi-"))
# Registered before the package registers the end of its server, so it runs after that.
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
MODEL = ModelServer()
# BabyAGI's functions describe and mend each other, so they may replace what a person registered.
CONFIG = f'changesets = "auto"\nchangesets_replace = ["*"]\n\n[model]\nurl = "{MODEL.url}"\n'
(HOME / "config.toml").write_text(CONFIG, encoding="utf-8")

for name in ("SELFMADE_SERVER", "SELFMADE_TOKEN", "SELFMADE_DATABASE", "SELFMADE_LISTEN"):
    os.environ.pop(name, None)
os.environ["SELFMADE_HOME"] = str(HOME)
os.environ["SELFMADE_BABYAGI_PACKS"] = str(PACKS)

# Packages that functions of the packs need are downloaded once and kept where this says.
kept = os.environ.get("SELFMADE_TEST_ENVIRONMENTS")
if kept:
    Path(kept).mkdir(parents=True, exist_ok=True)
    (HOME / "environments").symlink_to(kept)
