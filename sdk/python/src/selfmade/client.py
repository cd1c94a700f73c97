"""Clients of a server: `Client` blocks, `AsyncClient` is awaited; otherwise they are the same."""

from selfmade._aio.client import AsyncClient
from selfmade._aio.handle import AsyncRunHandle
from selfmade._aio.listing import AsyncListing
from selfmade._sync.client import Client
from selfmade._sync.handle import RunHandle
from selfmade._sync.listing import Listing

__all__ = ["AsyncClient", "AsyncListing", "AsyncRunHandle", "Client", "Listing", "RunHandle"]
