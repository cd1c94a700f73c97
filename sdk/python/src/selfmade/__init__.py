"""Write functions for selfmade in plain Python.

A pack is a file of functions decorated with :func:`selfmade.function`. The server reads it without running
it; here the decorator only records what was declared, so the same file can be imported, called and tested
without a server.
"""

from selfmade._declared import (
    Concurrency,
    Declared,
    ErrorExpected,
    Expectation,
    ExpectedError,
    Mock,
    OutputExpected,
    PinsExpected,
    Retries,
    SchemaExpected,
    Test,
)
from selfmade._function import function

__all__ = [
    "Concurrency",
    "Declared",
    "ErrorExpected",
    "Expectation",
    "ExpectedError",
    "Mock",
    "OutputExpected",
    "PinsExpected",
    "Retries",
    "SchemaExpected",
    "Test",
    "function",
]
