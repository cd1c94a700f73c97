# Made from `_aio` by twins.py; change it there.
"""The blocking client, made from `_aio` by `twins.py`."""
