"""Functions for everyday work on text.

Each function is stored alone, with those imports of this file that it uses; the name of another function
in it is a dependency.
"""

import asyncio
import difflib
import re
import textwrap
import unicodedata
from collections.abc import Iterator

import selfmade


@selfmade.function(
    tests=[
        {"input": {"text": "Hello, World!"}, "expect": {"output": "hello-world"}},
        {
            "name": "accents are dropped",
            "input": {"text": "Crème Brûlée à la carte"},
            "expect": {"output": "creme-brulee-a-la-carte"},
        },
        {
            "name": "another separator",
            "input": {"text": "one  two", "separator": "_"},
            "expect": {"output": "one_two"},
        },
        {"name": "nothing to keep", "input": {"text": "¿?"}, "expect": {"output": ""}},
    ],
)
def slugify(text: str, separator: str = "-") -> str:
    """Turn a title into a lower-case name that is safe in a URL or a file name.

    Args:
        text: The title. Accents are dropped; whatever is neither a to z nor a digit separates words.
        separator: What stands between the words.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return separator.join(re.findall(r"[a-z0-9]+", plain.lower()))


@selfmade.function(
    tests=[
        {"input": {"text": "to be or not to be"}, "expect": {"output": 6}},
        {
            "name": "an apostrophe or hyphen does not part a word",
            "input": {"text": "It's a well-known fact."},
            "expect": {"output": 4},
        },
        {"name": "no words", "input": {"text": " … "}, "expect": {"output": 0}},
    ],
)
def word_count(text: str) -> int:
    """Count the words of a text.

    Args:
        text: The text, in any script that writes words apart.
    """
    return len(re.findall(r"\w+(?:['’-]\w+)*", text))


@selfmade.function(
    tests=[
        {"input": {"text": "one two three four", "limit": 2}, "expect": {"output": "one two…"}},
        {
            "name": "a short text stays as it is",
            "input": {"text": "one  two", "limit": 2},
            "expect": {"output": "one  two"},
        },
        {
            "name": "another ending",
            "input": {"text": "one, two, three", "limit": 1, "ending": " (more)"},
            "expect": {"output": "one (more)"},
        },
        {
            "name": "a negative limit",
            "input": {"text": "one", "limit": -1},
            "expect": {"error": {"type": "ValueError", "message": "must not be negative"}},
        },
    ],
)
def truncate_words(text: str, limit: int, ending: str = "…") -> str:
    """Cut a text after a number of words, and mark the cut.

    Args:
        text: The text.
        limit: How many words to keep.
        ending: What to put where the text was cut; left out when nothing was.
    """
    if limit < 0:
        raise ValueError(f"limit must not be negative, but is {limit}")
    words = list(re.finditer(r"\S+", text))
    if len(words) <= limit:
        return text
    kept = text[: words[limit - 1].end()] if limit else ""
    return kept.rstrip(",;:.") + ending


@selfmade.function(
    tests=[
        {
            "input": {"text": "See https://example.com/a?b=1, then http://example.org."},
            "expect": {"output": ["https://example.com/a?b=1", "http://example.org"]},
        },
        {
            "name": "brackets around an address are not part of it, those inside it are",
            "input": {"text": "(https://example.com/wiki/Rust_(language))"},
            "expect": {"output": ["https://example.com/wiki/Rust_(language)"]},
        },
        {
            "name": "each address once",
            "input": {"text": "http://a.example http://a.example"},
            "expect": {"output": ["http://a.example"]},
        },
        {"name": "none", "input": {"text": "example.com has no scheme"}, "expect": {"output": []}},
    ],
)
def extract_urls(text: str) -> list[str]:
    """List the web addresses in a text, each once, in the order in which they appear.

    Args:
        text: Text, HTML or Markdown; an address starts with http:// or https://.
    """

    def trimmed(url: str) -> str:
        while url:
            unopened = url[-1] == ")" and url.count(")") > url.count("(")
            if not unopened and url[-1] not in ".,;:!?'*_":
                break
            url = url[:-1]
        return url

    found = re.findall(r"https?://[^\s<>\"\[\]{}|\\^`]+", text, flags=re.IGNORECASE)
    return list(dict.fromkeys(trimmed(url) for url in found))


@selfmade.function(
    tests=[
        {
            "input": {"text": "Write to Ada <ada@example.com> or bob.b+x@mail.example.org."},
            "expect": {"output": ["ada@example.com", "bob.b+x@mail.example.org"]},
        },
        {
            "name": "each once, whatever its case",
            "input": {"text": "a@example.com, A@Example.com"},
            "expect": {"output": ["a@example.com"]},
        },
        {
            "name": "a handle is not an address",
            "input": {"text": "@ada and ada@localhost"},
            "expect": {"output": []},
        },
    ],
)
def extract_emails(text: str) -> list[str]:
    """List the e-mail addresses in a text, in lower case, each once, in the order in which they appear.

    Args:
        text: The text to look through.
    """
    found = re.findall(
        r"\b[\w.+-]*[\w+]@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}\b", text, flags=re.IGNORECASE
    )
    return list(dict.fromkeys(address.lower() for address in found))


@selfmade.function(
    tests=[
        {"input": {"text": "the lord of the rings"}, "expect": {"output": "The Lord of the Rings"}},
        {
            "name": "capitals inside a word are kept",
            "input": {"text": "what NASA and iOS have in common"},
            "expect": {"output": "What NASA and iOS Have in Common"},
        },
        {
            "name": "the last word counts too",
            "input": {"text": "what it stands for"},
            "expect": {"output": "What It Stands For"},
        },
        {"name": "empty", "input": {"text": ""}, "expect": {"output": ""}},
    ],
)
def title_case(text: str) -> str:
    """Write an English title with capitals, keeping short words such as "of" small inside it.

    Args:
        text: The title. Words that hold a capital already stay as they are.
    """
    small = {
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "nor",
        "of",
        "on",
        "or",
        "the",
        "to",
        "with",
    }
    words = text.split(" ")

    def titled(position: int, word: str) -> str:
        inside = 0 < position < len(words) - 1
        if word != word.lower() or (inside and word in small):
            return word
        return word[:1].upper() + word[1:]

    return " ".join(titled(position, word) for position, word in enumerate(words))


@selfmade.function(
    tests=[
        {"input": {"text": "\n    def f():\n        pass\n    "}, "expect": {"output": "def f():\n    pass"}},
        {
            "name": "tabs and spaces have no common indentation",
            "input": {"text": "\ta\n    b"},
            "expect": {"output": "\ta\n    b"},
        },
        {
            "name": "blank lines inside are kept, without their spaces",
            "input": {"text": "  a\n \n  b"},
            "expect": {"output": "a\n\nb"},
        },
    ],
)
def dedent_block(text: str) -> str:
    """Take the common indentation off a block of lines, and the blank lines around it.

    Args:
        text: Lines as they stand in an indented place, such as code in a list or a docstring.
    """
    lines = textwrap.dedent(text).split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


@selfmade.function(
    tests=[
        {"input": {"left": "kitten", "right": "kitten"}, "expect": {"output": 1.0}},
        {"input": {"left": "kitten", "right": "sitting"}, "expect": {"output": 0.6154}},
        {"name": "nothing in common", "input": {"left": "abc", "right": "xyz"}, "expect": {"output": 0.0}},
        {
            "name": "a share of the whole",
            "input": {"left": "The quick brown fox", "right": "the slow brown dog"},
            "expect": {"schema": {"type": "number", "minimum": 0, "maximum": 1}},
        },
    ],
)
def similarity(left: str, right: str) -> float:
    """Say how alike two texts are: 0 is nothing in common, 1 is the same.

    Args:
        left: One text.
        right: The other; case and order matter.
    """
    return round(difflib.SequenceMatcher(None, left, right, autojunk=False).ratio(), 4)


@selfmade.function(
    tests=[
        {
            "input": {"texts": ["one two", "three", "four five six"]},
            "expect": {"output": {"texts": 3, "words": 6, "shortest": 1, "longest": 3, "mean": 2.0}},
        },
        {
            "name": "no texts",
            "input": {"texts": []},
            "expect": {"output": {"texts": 0, "words": 0, "shortest": 0, "longest": 0, "mean": 0.0}},
        },
        {
            "name": "the counting is another function's",
            "input": {"texts": ["a", "b"]},
            "mocks": [{"function": "word_count", "output": 10}],
            "expect": {"output": {"texts": 2, "words": 20, "shortest": 10, "longest": 10, "mean": 10.0}},
        },
    ],
)
def summarise_counts(texts: list[str]) -> dict[str, float]:
    """Sum up how many words a set of texts has: in all, in the shortest, in the longest, on average.

    Args:
        texts: The texts.
    """
    counts = [word_count(text) for text in texts]
    return {
        "texts": len(counts),
        "words": sum(counts),
        "shortest": min(counts, default=0),
        "longest": max(counts, default=0),
        "mean": round(sum(counts) / len(counts), 2) if counts else 0.0,
    }


@selfmade.function(
    tests=[
        {
            "input": {"text": "It works. Does it?  Yes!"},
            "expect": {
                "pins": [
                    ["sentence", "It works."],
                    ["sentence", "Does it?"],
                    ["sentence", "Yes!"],
                    ["count", 3],
                ]
            },
        },
        {
            "name": "a title or an initial does not end a sentence",
            "input": {"text": "Dr. A. Lovelace wrote it. In 1843."},
            "expect": {
                "pins": [["sentence", "Dr. A. Lovelace wrote it."], ["sentence", "In 1843."], ["count", 2]]
            },
        },
        {"name": "no text, no sentence", "input": {"text": "  "}, "expect": {"pins": [["count", 0]]}},
    ],
)
def split_sentences(text: str) -> Iterator[tuple[str, str | int]]:
    """Yield the sentences of a text one by one on the pin `sentence`, then how many there were on `count`.

    Args:
        text: English prose; line breaks inside a sentence become spaces.
    """
    unfinished = re.compile(r"(?:^|\s)(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e)\.$")
    sentence = ""
    count = 0
    for part in re.split(r"(?<=[.!?])\s+", " ".join(text.split())):
        sentence = f"{sentence} {part}" if sentence else part
        if sentence and not unfinished.search(sentence):
            yield ("sentence", sentence)
            count += 1
            sentence = ""
    if sentence:
        yield ("sentence", sentence)
        count += 1
    yield ("count", count)


@selfmade.function(
    dependencies=["similarity"],
    tests=[
        {
            "input": {"query": "colour", "candidates": ["flavor", "color", "colours"], "limit": 2},
            "expect": {"output": [{"text": "colours", "score": 0.9231}, {"text": "color", "score": 0.9091}]},
        },
        {
            "name": "equals stay in their order",
            "input": {"query": "a", "candidates": ["b", "c"]},
            "mocks": [{"function": "similarity", "output": 0.5}],
            "expect": {"output": [{"text": "b", "score": 0.5}, {"text": "c", "score": 0.5}]},
        },
        {
            "name": "nothing to choose from",
            "input": {"query": "a", "candidates": []},
            "expect": {"output": []},
        },
    ],
)
async def closest_matches(query: str, candidates: list[str], limit: int = 3) -> list[dict[str, str | float]]:
    """Find the texts most like a query, best first.

    Args:
        query: The text to look for.
        candidates: The texts to choose from.
        limit: The most to return.
    """
    scored: list[dict[str, str | float]] = []
    for candidate in candidates:
        scored.append({"text": candidate, "score": similarity(query, candidate)})
        # Comparing long lists takes time; let whatever else runs in this loop have its turn.
        await asyncio.sleep(0)
    scored.sort(key=lambda match: match["score"], reverse=True)
    return scored[:limit]
