"""Blocks for texts. Filling templates is the built-in block `@template`."""

import json
import re
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"texts": ["a", "b"], "delimiter": "-"}, "expect": {"pins": [["output", "a-b"]]}},
        {
            "name": "places that nothing was linked to are left out",
            "input": {"texts": [None, "a", "", 0]},
            "expect": {"pins": [["output", "a0"]]},
        },
        {"name": "no texts", "input": {"texts": [], "delimiter": ", "}, "expect": {"pins": [["output", ""]]}},
    ],
)
def combine_texts(texts: list[Any], delimiter: str = "") -> Iterator[tuple[str, str]]:
    """Join texts into one.

    Args:
        texts: The texts, in order; other values are written as JSON, and null is left out.
        delimiter: What stands between them.
    """
    written = [text if isinstance(text, str) else json.dumps(text) for text in texts if text is not None]
    output: str = delimiter.join(written)
    yield "output", output


@selfmade.function(
    tests=[
        {
            "input": {"text": "Hello, World!", "pattern": "Hello, (.+)", "group": 1},
            "expect": {
                "pins": [["positive", "World!"], ["matched_results", ["World!"]], ["matched_count", 1]]
            },
        },
        {
            "name": "all of them",
            "input": {"text": "a1 b2", "pattern": r"\w\d", "find_all": True},
            "expect": {
                "pins": [
                    ["positive", "a1"],
                    ["positive", "b2"],
                    ["matched_results", ["a1", "b2"]],
                    ["matched_count", 2],
                ]
            },
        },
        {
            "name": "no match, as there is no such group",
            "input": {"text": 5, "pattern": "5", "group": 3},
            "expect": {"pins": [["negative", "5"], ["matched_results", []], ["matched_count", 0]]},
        },
        {
            "name": "a pattern that is none",
            "input": {"text": "a", "pattern": "("},
            "expect": {"error": {"type": "ValueError", "message": "`(` is not a regular expression"}},
        },
    ],
)
def extract_text(
    text: Any,
    pattern: str,
    group: int = 0,
    case_sensitive: bool = True,
    dot_all: bool = True,
    find_all: bool = False,
) -> Iterator[tuple[str, Any]]:
    """Find what fits a regular expression in a text: each match, or the text on `negative`, then all and their count.

    Args:
        text: The text; any other value is searched as JSON.
        pattern: The regular expression.
        group: The group that is wanted; 0 is the whole match.
        case_sensitive: Whether upper and lower case differ.
        dot_all: Whether `.` fits line breaks.
        find_all: Whether all matches are sent, at most 1000, and not just the first.
    """
    searched = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    flags = (0 if case_sensitive else re.IGNORECASE) | (re.DOTALL if dot_all else 0)
    try:
        expression = re.compile(pattern, flags)
    except re.error as error:
        raise ValueError(f"`{pattern}` is not a regular expression: {error}") from None
    results: list[str] = []
    if 0 <= group <= expression.groups:
        for match in expression.finditer(searched):
            results += [] if match[group] is None else [match[group]]
            if len(results) == (1000 if find_all else 1):
                break
    for result in results:
        yield "positive", result
    if not results:
        yield "negative", searched
    yield "matched_results", results
    matched: int = len(results)
    yield "matched_count", matched


@selfmade.function(
    tests=[
        {
            "input": {"text": "TRUE", "pattern": "true", "data": 0, "case_sensitive": False},
            "expect": {"pins": [["positive", 0]]},
        },
        {
            "name": "without data the text itself is sent",
            "input": {"text": {"a": "b"}, "pattern": "b"},
            "expect": {"pins": [["positive", {"a": "b"}]]},
        },
        {
            "name": "no match",
            "input": {"text": "a\nb", "pattern": "a.b", "data": "d", "dot_all": False},
            "expect": {"pins": [["negative", "d"]]},
        },
    ],
)
def match_text(
    text: Any, pattern: str, data: Any = None, case_sensitive: bool = True, dot_all: bool = True
) -> Iterator[tuple[str, Any]]:
    """Send a value on one of two pins: whether a text fits a regular expression or not.

    Args:
        text: The text; any other value is searched as JSON.
        pattern: The regular expression, which may fit anywhere in the text.
        data: The value that is sent; the text unless given.
        case_sensitive: Whether upper and lower case differ.
        dot_all: Whether `.` fits line breaks.
    """
    searched = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    flags = (0 if case_sensitive else re.IGNORECASE) | (re.DOTALL if dot_all else 0)
    try:
        found = re.search(pattern, searched, flags)
    except re.error as error:
        raise ValueError(f"`{pattern}` is not a regular expression: {error}") from None
    sent = text if data is None else data
    if found:
        yield "positive", sent
    else:
        yield "negative", sent


@selfmade.function(
    tests=[
        {
            "input": {"input_xml": "<Post>\n<Article Title> A & B </Article Title><body></body></Post>"},
            "expect": {"pins": [["parsed_xml", {"post": {"article_title": "A & B", "body": ""}}]]},
        },
        {
            "name": "elements of one name are a list",
            "input": {"input_xml": "<l><i>1</i><i>2</i></l>"},
            "expect": {"pins": [["parsed_xml", {"l": [{"i": "1"}, {"i": "2"}]}]]},
        },
        {
            "name": "several roots are one object",
            "input": {"input_xml": "<a>1</a><b>2</b>"},
            "expect": {"pins": [["parsed_xml", {"a": "1", "b": "2"}]]},
        },
        {
            "name": "what is not closed",
            "input": {"input_xml": "<a><b></a>"},
            "expect": {"error": {"type": "ValueError", "message": "`<b>` is not closed"}},
        },
    ],
)
def parse_xml(input_xml: str) -> Iterator[tuple[str, Any]]:
    """Read the simple XML that language models write: elements and text, without attributes and entities.

    Args:
        input_xml: The text. Names are written in lower case with `_` for blanks; texts are trimmed.
    """

    def tidy(name: str) -> str:
        return "_".join(name.lower().split())

    def made(children: list[tuple[str, Any]]) -> Any:
        names = [name for name, _ in children]
        return dict(children) if len(set(names)) == len(names) else [{name: value} for name, value in children]

    open_elements: list[tuple[str, list[tuple[str, Any]]]] = [("", [])]
    text = ""
    for token in re.split(r"(<[^<>]*>)", input_xml):
        name, children = open_elements[-1]
        if re.fullmatch(r"</[\w\s.-]+>", token):
            if len(open_elements) == 1:
                raise ValueError(f"`{token}` closes nothing")
            if tidy(token[2:-1]) != name:
                raise ValueError(f"`<{name}>` is not closed before `{token}`")
            if children and text.strip():
                raise ValueError(f"`<{name}>` has both elements and the text `{text.strip()[:50]}`")
            open_elements.pop()
            open_elements[-1][1].append((name, made(children) if children else text.strip()))
            text = ""
        elif re.fullmatch(r"<[^\W\d][\w\s.-]*>", token):
            if text.strip():
                raise ValueError(f"the text `{text.strip()[:50]}` stands beside the element `{token}`")
            open_elements.append((tidy(token[1:-1]), []))
        elif re.fullmatch(r"<[?!].*>", token, re.DOTALL):
            continue
        elif token.startswith("<"):
            raise ValueError(f"`{token[:50]}` is not an element; attributes are not read")
        else:
            text += token
    name, roots = open_elements[-1]
    if name:
        raise ValueError(f"`<{name}>` is not closed")
    if text.strip() or not roots:
        raise ValueError(f"`{(text.strip() or input_xml)[:50]}` stands outside of any element")
    yield "parsed_xml", made(roots)
