"""Files of the run: a folder outside the cell that belongs to one run and can be looked at afterwards.

A function that shall share it with these states `files=True` itself, and then they run in its cell; run
alone, each has a folder of its own. Whatever a cell writes elsewhere is gone with it.
"""

import fnmatch
import re
from typing import Any

import selfmade


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"name": "a.txt", "content": "hé"},
            "mocks": [{"function": "files.write", "output": None}],
            "expect": {"output": {"name": "a.txt", "bytes": 3}},
        },
        {
            "name": "bytes",
            "input": {"name": "a.bin", "content": {"$bytes": "AAE="}},
            "mocks": [{"function": "files.write", "output": None}],
            "expect": {"output": {"name": "a.bin", "bytes": 2}},
        },
    ],
)
def save_file(name: str, content: str | bytes) -> dict[str, Any]:
    """Write a file into the run's folder, over one of that name.

    Args:
        name: A plain name, without folders.
        content: Text, or bytes.
    """
    from selfmade import files

    files.write(name, content)
    return {"name": name, "bytes": len(content.encode() if isinstance(content, str) else content)}


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"name": "a.txt"},
            "mocks": [
                {"function": "files.list", "output": ["a.txt"]},
                {"function": "files.read", "output": "text"},
            ],
            "expect": {"output": "text"},
        },
        {
            "name": "one that is not there is told with those that are",
            "input": {"name": "b.txt"},
            "mocks": [{"function": "files.list", "output": ["a.txt"]}],
            "expect": {"error": {"type": "FileNotFoundError", "message": "there are: a.txt"}},
        },
    ],
)
def load_file(name: str) -> str | bytes:
    """Read a file of the run's folder: text where it is text, bytes where it is not.

    Args:
        name: Its name.
    """
    from selfmade import files

    present = files.list()
    if name not in present:
        raise FileNotFoundError(f"there is no file `{name}`; there are: {', '.join(present) or 'none'}")
    return files.read(name)


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"name": "log.txt", "text": "two\n"},
            "mocks": [
                {"function": "files.list", "output": ["log.txt"]},
                {"function": "files.read", "output": "one\n"},
                {"function": "files.write", "output": None},
            ],
            "expect": {"output": 8},
        },
        {
            "name": "the first line makes the file",
            "input": {"name": "log.txt", "text": "one\n"},
            "mocks": [{"function": "files.list", "output": []}, {"function": "files.write", "output": None}],
            "expect": {"output": 4},
        },
    ],
)
def append_file(name: str, text: str) -> int:
    """Add text to the end of a file in the run's folder, and return how many characters it has then.

    Args:
        name: Its name; it is made if it is not there.
        text: What to add. Line breaks are yours to put.
    """
    from selfmade import files

    before = files.read(name) if name in files.list() else ""
    if isinstance(before, bytes):
        raise ValueError(f"`{name}` is not text, so no text can be added to it")
    files.write(name, before + text)
    return len(before) + len(text)


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"pattern": "*.txt"},
            "mocks": [
                {"function": "files.list", "output": ["a.txt", "b.csv"]},
                {"function": "files.read", "output": "hé"},
            ],
            "expect": {"output": [{"name": "a.txt", "bytes": 3, "text": True}]},
        },
        {
            "name": "an empty folder",
            "input": {},
            "mocks": [{"function": "files.list", "output": []}],
            "expect": {"output": []},
        },
    ],
)
def list_files(pattern: str = "*") -> list[dict[str, Any]]:
    """List the files of the run's folder, with their sizes and whether they are text.

    Args:
        pattern: Which names, with `*` for any part.
    """
    from selfmade import files

    listed = []
    for name in fnmatch.filter(files.list(), pattern):
        content = files.read(name)
        is_text = isinstance(content, str)
        listed.append({"name": name, "bytes": len(content.encode() if is_text else content), "text": is_text})
    return listed


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"pattern": "*.tmp"},
            "mocks": [
                {"function": "files.list", "output": ["a.tmp", "b.txt"]},
                {"function": "files.remove", "output": None},
            ],
            "expect": {"output": ["a.tmp"]},
        },
        {
            "name": "nothing fits",
            "input": {"pattern": "x"},
            "mocks": [{"function": "files.list", "output": ["a.tmp"]}],
            "expect": {"output": []},
        },
    ],
)
def remove_files(pattern: str) -> list[str]:
    """Remove files of the run's folder, and return their names.

    Args:
        pattern: Which names, with `*` for any part.
    """
    from selfmade import files

    names = fnmatch.filter(files.list(), pattern)
    for name in names:
        files.remove(name)
    return names


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"pattern": "err\\w+"},
            "mocks": [
                {"function": "files.list", "output": ["a.log"]},
                {"function": "files.read", "output": "fine\nan error here\n"},
            ],
            "expect": {"output": [{"file": "a.log", "line": 2, "text": "an error here"}]},
        },
        {
            "name": "what is not text is passed over",
            "input": {"pattern": "x"},
            "mocks": [
                {"function": "files.list", "output": ["a"]},
                {"function": "files.read", "output": {"$bytes": "eA=="}},
            ],
            "expect": {"output": []},
        },
        {
            "name": "a pattern that is none",
            "input": {"pattern": "("},
            "expect": {"error": {"type": "ValueError", "message": "`(`"}},
        },
    ],
)
def search_files(pattern: str, names: str = "*", limit: int = 100) -> list[dict[str, Any]]:
    """Find lines in the text files of the run's folder.

    Args:
        pattern: A regular expression.
        names: Which files, with `*` for any part.
        limit: The most lines to return.
    """
    from selfmade import files

    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"`{pattern}` is no regular expression: {error}") from error
    found: list[dict[str, Any]] = []
    for name in fnmatch.filter(files.list(), names):
        content = files.read(name)
        if isinstance(content, bytes):
            continue
        for number, line in enumerate(content.splitlines(), start=1):
            if wanted.search(line):
                found.append({"file": name, "line": number, "text": line})
            if len(found) == limit:
                return found
    return found


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"name": "a.txt", "old": "one", "new": "two"},
            "mocks": [
                {"function": "files.read", "output": "one by one"},
                {"function": "files.write", "output": None},
            ],
            "expect": {"output": 2},
        },
        {
            "name": "what is not there is not replaced silently",
            "input": {"name": "a.txt", "old": "three", "new": "two"},
            "mocks": [{"function": "files.read", "output": "one by one"}],
            "expect": {"error": {"type": "ValueError", "message": "`three` is not in `a.txt`"}},
        },
    ],
)
def replace_in_file(name: str, old: str, new: str) -> int:
    """Replace a text wherever it stands in a file of the run's folder, and return how often it stood there.

    Args:
        name: The file.
        old: The text to replace.
        new: The text to put there.
    """
    from selfmade import files

    content = files.read(name)
    times = content.count(old) if isinstance(content, str) and old else 0
    if not times:
        raise ValueError(f"`{old}` is not in `{name}`")
    files.write(name, content.replace(old, new))
    return times
