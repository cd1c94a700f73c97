"""Addresses of the web: even them out, take them apart, put them together."""

import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"url": "HTTPS://Example.COM:443/a/../b//?b=2&utm_source=x&a=1#top"},
            "expect": {"output": "https://example.com/b//?a=1&b=2"},
        },
        {
            "name": "no path",
            "input": {"url": "http://example.com"},
            "expect": {"output": "http://example.com/"},
        },
        {
            "name": "a port that is not the usual one stays",
            "input": {"url": "http://example.com:8080/?q=a b"},
            "expect": {"output": "http://example.com:8080/?q=a+b"},
        },
    ],
)
def normalise_url(url: str) -> str:
    """Write an address in one way, so that the same pages have the same address.

    Args:
        url: The address. Case, usual ports, dots, fragments, the order of the query and what only counts
            visitors are evened out.
    """
    parts = urllib.parse.urlsplit(url.strip())
    scheme = parts.scheme.lower()
    port = "" if parts.port in (None, {"http": 80, "https": 443}.get(scheme)) else f":{parts.port}"
    path: list[str] = []
    for piece in parts.path.split("/")[1:]:
        if piece == "..":
            path[-1:] = []
        elif piece != ".":
            path.append(piece)
    if parts.path.endswith(("/.", "/..")):
        path.append("")
    counted = re.compile(r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|igshid")
    pairs = [
        pair
        for pair in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        if not counted.fullmatch(pair[0])
    ]
    query = urllib.parse.urlencode(sorted(pairs))
    return urllib.parse.urlunsplit((scheme, (parts.hostname or "") + port, "/" + "/".join(path), query, ""))


@selfmade.function(
    tests=[
        {
            "input": {"url": "https://ada@example.com:8443/a%20b/c?x=1&x=2&y=#top"},
            "expect": {
                "output": {
                    "scheme": "https",
                    "host": "example.com",
                    "port": 8443,
                    "path": ["a b", "c"],
                    "query": {"x": ["1", "2"], "y": [""]},
                    "fragment": "top",
                }
            },
        },
        {
            "name": "the usual port",
            "input": {"url": "http://example.com"},
            "expect": {
                "output": {
                    "scheme": "http",
                    "host": "example.com",
                    "port": 80,
                    "path": [],
                    "query": {},
                    "fragment": "",
                }
            },
        },
    ],
)
def split_url(url: str) -> dict[str, Any]:
    """Take an address apart: scheme, host, port, path, query, fragment.

    Args:
        url: The address.
    """
    parts = urllib.parse.urlsplit(url)
    return {
        "scheme": parts.scheme,
        "host": parts.hostname or "",
        "port": parts.port or {"http": 80, "https": 443}.get(parts.scheme),
        "path": [urllib.parse.unquote(piece) for piece in parts.path.split("/") if piece],
        "query": urllib.parse.parse_qs(parts.query, keep_blank_values=True),
        "fragment": parts.fragment,
    }


@selfmade.function(
    tests=[
        {
            "input": {
                "base": "https://api.example.com/v1/",
                "path": ["users", "ada/b"],
                "params": {"q": "a&b", "tag": ["x", "y"]},
            },
            "expect": {"output": "https://api.example.com/v1/users/ada%2Fb?q=a%26b&tag=x&tag=y"},
        },
        {
            "name": "what is null is left out",
            "input": {"base": "https://example.com", "params": {"a": None, "b": 0}},
            "expect": {"output": "https://example.com?b=0"},
        },
    ],
)
def build_url(base: str, path: list[str] | None = None, params: dict[str, Any] | None = None) -> str:
    """Put an address together, with everything escaped that needs it.

    Args:
        base: What it begins with, up to the path.
        path: The parts of the path; a `/` inside one is escaped.
        params: The query; lists make several, what is null is left out.
    """
    pieces = [urllib.parse.quote(piece, safe="") for piece in path or []]
    url = "/".join([base.rstrip("/"), *pieces]) if pieces else base
    kept = {name: value for name, value in (params or {}).items() if value is not None}
    return f"{url}?{urllib.parse.urlencode(kept, doseq=True)}" if kept else url
