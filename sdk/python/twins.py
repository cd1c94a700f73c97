"""Makes the blocking client `selfmade/_sync` from the asynchronous one, `selfmade/_aio`.

`python twins.py` writes it; `python twins.py --check` says whether it is as it should be.
"""

import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).parent / "src" / "selfmade"
SOURCE, TWIN = PACKAGE / "_aio", PACKAGE / "_sync"
NOTE = "# Made from `_aio` by twins.py; change it there.\n"

# In this order: longer words before those that they contain.
WORDS = [
    (r"_async_transport", "_transport"),
    (r"selfmade\._aio", "selfmade._sync"),
    (r"import asyncio\b", "import time"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\[([^\[\]\n]+) async for", r"[\1 for"),
    (r"\bawait ", ""),
    (r"__a(iter|next|enter|exit)__", r"__\1__"),
    (r"\baclosing\b", "closing"),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bThe asynchronous client\. `_sync` is made from it by", "The blocking client, made from `_aio` by"),
]


def twin_of(text: str) -> str:
    for word, replacement in WORDS:
        text = re.sub(word, replacement, text)
    return NOTE + text


def twins() -> dict[pathlib.Path, str]:
    return {TWIN / path.name: twin_of(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.glob("*.py"))}


def wrong() -> list[str]:
    """The files that are not what they should be."""
    expected = twins()
    there = set(TWIN.glob("*.py"))
    stale = [path for path, text in expected.items() if path not in there or path.read_text(encoding="utf-8") != text]
    return sorted(path.name for path in {*stale, *(there - set(expected))})


def main() -> int:
    if "--check" in sys.argv[1:]:
        files = wrong()
        if files:
            print(f"not as `python twins.py` makes them: {', '.join(files)}", file=sys.stderr)
        return 1 if files else 0
    TWIN.mkdir(exist_ok=True)
    expected = twins()
    for path in TWIN.glob("*.py"):
        if path not in expected:
            path.unlink()
    for path, text in expected.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
