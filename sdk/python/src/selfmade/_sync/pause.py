# Made from `_aio` by twins.py; change it there.
"""Waiting for a while."""

from __future__ import annotations

import time

pause = time.sleep
