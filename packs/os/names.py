"""Paths and names of files, without looking at any disk; differences of texts; and what a cell sees."""

import difflib
import fnmatch
import os
import platform
import posixpath
import re
import sys
import unicodedata
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"text": "Q3 report: sales/marketing?.PDF"},
            "expect": {"output": "Q3 report_ sales_marketing_.PDF"},
        },
        {
            "name": "nothing outside can be meant",
            "input": {"text": "../../etc/passwd"},
            "expect": {"output": "etc_passwd"},
        },
        {
            "name": "names that some systems keep for themselves",
            "input": {"text": "con"},
            "expect": {"output": "con_"},
        },
        {"name": "nothing left", "input": {"text": "..."}, "expect": {"output": "unnamed"}},
    ],
)
def safe_file_name(text: str, longest: int = 120) -> str:
    """Make a plain file name of any text, one that every system takes and the run's folder too.

    Args:
        text: The text.
        longest: The most characters; the ending of the name is kept when it is cut.
    """
    text = unicodedata.normalize("NFC", text).replace("..", "")
    name = re.sub(r"[^\w ._+@()-]+", "_", text).strip(" ._") or "unnamed"
    if name.partition(".")[0].lower() in {
        "con",
        "prn",
        "aux",
        "nul",
        "com1",
        "com2",
        "com3",
        "lpt1",
        "lpt2",
        "lpt3",
    }:
        name += "_"
    stem, ending = posixpath.splitext(name)
    return name if len(name) <= longest else stem[: longest - len(ending)] + ending


@selfmade.function(
    tests=[
        {
            "input": {"path": "/data/./2026/../report.tar.gz"},
            "expect": {
                "output": {
                    "path": "/data/report.tar.gz",
                    "folder": "/data",
                    "name": "report.tar.gz",
                    "stem": "report",
                    "endings": [".tar", ".gz"],
                    "parts": ["data", "report.tar.gz"],
                    "absolute": True,
                }
            },
        },
        {
            "name": "a Windows path",
            "input": {"path": "C:\\Users\\ada\\.profile"},
            "expect": {
                "output": {
                    "path": "C:/Users/ada/.profile",
                    "folder": "C:/Users/ada",
                    "name": ".profile",
                    "stem": ".profile",
                    "endings": [],
                    "parts": ["C:", "Users", "ada", ".profile"],
                    "absolute": True,
                }
            },
        },
    ],
)
def split_path(path: str) -> dict[str, Any]:
    """Take a path apart, without looking at any disk: folder, name, stem, endings, parts.

    Args:
        path: The path, of Unix or Windows; `.` and `..` in it are worked out.
    """
    path = posixpath.normpath(path.replace("\\", "/"))
    folder, name = posixpath.split(path)
    stem, *endings = name.lstrip(".").split(".")
    return {
        "path": path,
        "folder": folder,
        "name": name,
        "stem": name[: len(name) - len(name.lstrip("."))] + stem,
        "endings": [f".{ending}" for ending in endings],
        "parts": [part for part in path.split("/") if part],
        "absolute": path.startswith("/") or re.match(r"[A-Za-z]:/", path) is not None,
    }


@selfmade.function(
    tests=[
        {
            "input": {"names": ["a.py", "b.txt", "t_a.py"], "patterns": ["*.py", "!t_*"]},
            "expect": {"output": ["a.py"]},
        },
        {
            "name": "no patterns, no names",
            "input": {"names": ["a"], "patterns": []},
            "expect": {"output": []},
        },
    ],
)
def match_names(names: list[str], patterns: list[str]) -> list[str]:
    """Choose names by patterns: those that fit one, without those that fit one with a `!` before it.

    Args:
        names: The names.
        patterns: `*` for any part, `?` for one letter, `[ab]` for one of some.
    """
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]

    def fits(name: str, some: list[str]) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in some)

    return [name for name in names if fits(name, wanted) and not fits(name, unwanted)]


@selfmade.function(
    tests=[
        {
            "input": {"old": "a\nb\n", "new": "a\nc\n"},
            "expect": {"output": "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c"},
        },
        {"name": "the same", "input": {"old": "a", "new": "a"}, "expect": {"output": ""}},
    ],
)
def diff_text(old: str, new: str, context: int = 3) -> str:
    """Compare two texts line by line, as `diff -u` does; the same texts make an empty one.

    Args:
        old: The text as it was.
        new: The text as it is.
        context: How many lines around each change are shown.
    """
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", n=context, lineterm="")
    return "\n".join(lines)


@selfmade.function(
    tests=[
        {
            "input": {},
            "expect": {
                "schema": {
                    "type": "object",
                    "required": ["python", "system", "files", "variables"],
                    "properties": {
                        "python": {"type": "string", "pattern": "^3\\."},
                        "files": {"type": "array"},
                    },
                }
            },
        },
        {
            "name": "where there is nothing to see",
            "input": {"folder": "/nowhere"},
            "expect": {
                "schema": {"type": "object", "properties": {"files": {"type": "array", "maxItems": 0}}}
            },
        },
    ],
)
def look_around(folder: str = "~", depth: int = 2) -> dict[str, Any]:
    """Tell what a function sees from inside its cell: Python, system, a folder, names of variables.

    Args:
        folder: Where to look; most of what a machine has is not there in a cell.
        depth: How deep to look into folders; at most 500 paths are told.
    """
    paths: list[str] = []

    def walk(folder: str, left: int) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries[: max(0, 500 - len(paths))] if left > 0 else []:
            inside = entry.is_dir(follow_symlinks=False)
            paths.append(entry.path + ("/" if inside else ""))
            if inside:
                walk(entry.path, left - 1)

    walk(os.path.expanduser(folder), depth)
    return {
        "python": platform.python_version(),
        "system": f"{sys.platform} {platform.machine()}",
        "files": paths[:500],
        "variables": sorted(os.environ),
    }
