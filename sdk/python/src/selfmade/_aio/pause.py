"""Waiting for a while."""

from __future__ import annotations

import asyncio

pause = asyncio.sleep
