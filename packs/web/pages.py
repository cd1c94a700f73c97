"""What an HTML page says: text, links, tables, what it tells of itself."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {
                "html": "<title>T</title><h1>Head</h1><p>One <b>two</b>\n three.<br>Four</p><ul><li>a<li>b</ul><script>x()</script>"
            },
            "expect": {"output": "# Head\n\nOne two three.\nFour\n\n- a\n- b"},
        },
        {
            "name": "characters and code",
            "input": {"html": "<p>a &amp; b&nbsp;&#8364;</p><pre>x\n  y</pre>"},
            "expect": {"output": "a & b €\n\nx\n  y"},
        },
        {"name": "no page", "input": {"html": ""}, "expect": {"output": ""}},
    ],
)
def html_text(html: str) -> str:
    """Take the readable text out of HTML: headings with `#`, list items with `-`, paragraphs apart.

    Args:
        html: The HTML; scripts, styles and what is meant for machines are left out.
    """
    silent = {"script", "style", "template", "noscript", "svg", "title", "iframe", "select"}
    apart = {
        "p",
        "div",
        "section",
        "article",
        "ul",
        "ol",
        "table",
        "pre",
        "blockquote",
        "figure",
        "header",
        "footer",
        "main",
    }
    apart |= {"nav", "aside", "form", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "address", "hr"}

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.out: list[str] = []
            self.silent: list[str] = []
            self.pre = 0

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag in silent:
                self.silent.append(tag)
            if self.silent:
                return
            if tag in apart:
                self.out.append("\n\n")
            if tag in ("br", "tr", "li", "dt", "dd"):
                self.out.append("\n")
            if tag == "li":
                self.out.append("- ")
            if tag in ("td", "th"):
                self.out.append(" ")
            if re.fullmatch("h[1-6]", tag):
                self.out.append("#" * int(tag[1]) + " ")
            self.pre += tag == "pre"

        def handle_endtag(self, tag: str) -> None:
            if tag in self.silent:
                del self.silent[self.silent.index(tag) :]
            elif not self.silent and tag in apart:
                self.out.append("\n\n")
                self.pre -= tag == "pre" and self.pre > 0

        def handle_data(self, data: str) -> None:
            if self.silent:
                return
            if not self.pre:
                data = re.sub(r"\s+", " ", data)
                if not self.out or self.out[-1][-1] in "\n ":
                    data = data.lstrip()
            if data:
                self.out.append(data)

    reader = Reader()
    reader.feed(html)
    reader.close()
    text = "".join(reader.out).replace("\xa0", " ")
    text = re.sub(r" *\n(?: *\n)*", lambda gap: "\n\n" if gap[0].count("\n") > 1 else "\n", text)
    return text.strip()


@selfmade.function(
    tests=[
        {
            "input": {
                "html": "<a href='/a?x=1#top'>One <b>two</b></a> <a href='mailto:a@b.c'>m</a> <a href='/a?x=1'>again</a> <a>none</a>",
                "base": "https://example.com/dir/",
            },
            "expect": {
                "output": [{"url": "https://example.com/a?x=1", "text": "One two", "external": False}]
            },
        },
        {
            "name": "the page may say what its addresses start from",
            "input": {
                "html": "<base href='https://other.example/'><a href='b' rel='nofollow'>B</a>",
                "base": "https://example.com/",
            },
            "expect": {"output": [{"url": "https://other.example/b", "text": "B", "external": True}]},
        },
    ],
)
def html_links(html: str, base: str) -> list[dict[str, Any]]:
    """List the links of an HTML page, each once, as whole addresses with their text.

    Args:
        html: The HTML.
        base: The page's own address; links to another host are marked as external.
    """
    found: dict[str, dict[str, Any]] = {}
    host = urllib.parse.urlsplit(base).netloc

    class Reader(HTMLParser):
        start = base
        open_link: dict[str, Any] | None = None

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            address = dict(attrs).get("href")
            if tag == "base" and address:
                self.start = urllib.parse.urljoin(base, address)
            if tag != "a" or address is None:
                return
            url = urllib.parse.urldefrag(urllib.parse.urljoin(self.start, address.strip())).url
            self.open_link = None
            if url.startswith(("http://", "https://")) and url not in found:
                external = urllib.parse.urlsplit(url).netloc != host
                self.open_link = found[url] = {"url": url, "text": "", "external": external}

        def handle_endtag(self, tag: str) -> None:
            if tag == "a":
                self.open_link = None

        def handle_data(self, data: str) -> None:
            if self.open_link is not None:
                self.open_link["text"] += data

    reader = Reader()
    reader.feed(html)
    reader.close()
    return [{**link, "text": " ".join(link["text"].split())} for link in found.values()]


@selfmade.function(
    tests=[
        {
            "input": {
                "html": "<table><caption>Rain</caption><tr><th>City<th>mm<tr><td>Oslo<td>3.5<tr><td>Rome<td></table>"
            },
            "expect": {
                "output": [
                    {"caption": "Rain", "rows": [{"City": "Oslo", "mm": "3.5"}, {"City": "Rome", "mm": ""}]}
                ]
            },
        },
        {
            "name": "cells that span, heads that are empty or twice there",
            "input": {
                "html": "<table><tr><td>a</td><td>a</td><td></td></tr><tr><td colspan=2>x</td><td>y</td></tr></table>"
            },
            "expect": {"output": [{"caption": "", "rows": [{"a": "x", "a_2": "x", "column_3": "y"}]}]},
        },
        {"name": "no table", "input": {"html": "<p>a</p>"}, "expect": {"output": []}},
    ],
)
def html_tables(html: str) -> list[dict[str, Any]]:
    """Read the tables of an HTML page into rows, by the names in their first line.

    Args:
        html: The HTML. A table inside another is read as one of its own.
    """
    tables: list[dict[str, Any]] = []

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.nested: list[dict[str, Any]] = []

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag == "table":
                self.nested.append({"caption": "", "lines": [], "into": None})
                tables.append(self.nested[-1])
            if not self.nested:
                return
            table = self.nested[-1]
            if tag == "caption":
                table["into"] = "caption"
            if tag == "tr":
                table["lines"].append([])
            if tag in ("td", "th"):
                span = dict(attrs).get("colspan") or "1"
                table["lines"] = table["lines"] or [[]]
                table["lines"][-1].append(["", min(int(span), 100) if span.isdigit() else 1])
                table["into"] = "cell"

        def handle_endtag(self, tag: str) -> None:
            if tag == "table" and self.nested:
                self.nested.pop()
            elif tag in ("td", "th", "caption") and self.nested:
                self.nested[-1]["into"] = None

        def handle_data(self, data: str) -> None:
            table = self.nested[-1] if self.nested else {"into": None}
            if table["into"] == "caption":
                table["caption"] += data
            elif table["into"] == "cell":
                table["lines"][-1][-1][0] += data

    def names(head: list[str]) -> list[str]:
        made: list[str] = []
        for position, name in enumerate(head, start=1):
            name = name or f"column_{position}"
            made.append(f"{name}_{position}" if name in made else name)
        return made

    def rows(lines: list[Any]) -> list[dict[str, str]]:
        spread = [
            [" ".join(text.split()) for text, span in line for _ in range(span)] for line in lines if line
        ]
        if not spread:
            return []
        wide = max(map(len, spread))
        head, *body = [line + [""] * (wide - len(line)) for line in spread]
        return [dict(zip(names(head), line, strict=True)) for line in body]

    reader = Reader()
    reader.feed(html)
    reader.close()
    return [{"caption": " ".join(table["caption"].split()), "rows": rows(table["lines"])} for table in tables]


@selfmade.function(
    tests=[
        {
            "input": {
                "html": "<html lang=en><title> A  page </title><meta name=description content='What it is'>"
                "<meta property=og:image content=/i.png><link rel=canonical href=/a>"
                "<link rel=alternate type=application/rss+xml href=/feed><meta name=author content=Ada>",
                "base": "https://example.com/x",
            },
            "expect": {
                "output": {
                    "title": "A page",
                    "description": "What it is",
                    "url": "https://example.com/a",
                    "image": "https://example.com/i.png",
                    "site": "",
                    "author": "Ada",
                    "published": "",
                    "language": "en",
                    "feeds": ["https://example.com/feed"],
                    "data": [],
                }
            },
        },
        {
            "name": "what is written for machines",
            "input": {
                "html": '<meta property=og:title content=T><script type=\'application/ld+json\'>{"@type": "Article"}</script>'
                "<script type='application/ld+json'>broken</script>",
                "base": "https://example.com/",
            },
            "expect": {
                "output": {
                    "title": "T",
                    "description": "",
                    "url": "https://example.com/",
                    "image": "",
                    "site": "",
                    "author": "",
                    "published": "",
                    "language": "",
                    "feeds": [],
                    "data": [{"@type": "Article"}],
                }
            },
        },
    ],
)
def html_metadata(html: str, base: str) -> dict[str, Any]:
    """Tell what an HTML page says of itself: title, description, image, author, date, language, feeds, JSON-LD.

    Args:
        html: The HTML.
        base: The page's own address.
    """
    meta: dict[str, str] = {}
    links: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {"title": [], "json": []}

    class Reader(HTMLParser):
        into = ""

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            named = {name: value or "" for name, value in attrs}
            if tag == "html":
                meta.setdefault("language", named.get("lang", ""))
            if tag == "meta":
                meta.setdefault(
                    (named.get("property") or named.get("name", "")).lower(), named.get("content", "")
                )
            if tag == "link" and named.get("href"):
                is_feed = named.get("type", "") in (
                    "application/rss+xml",
                    "application/atom+xml",
                    "application/feed+json",
                )
                kind = "feed" if is_feed else named.get("rel", "").lower()
                links.setdefault(kind, []).append(urllib.parse.urljoin(base, named["href"]))
            if tag == "title" and not texts["title"]:
                self.into = "title"
                texts["title"].append("")
            if tag == "script" and named.get("type") == "application/ld+json":
                self.into = "json"
                texts["json"].append("")

        def handle_endtag(self, tag: str) -> None:
            self.into = ""

        def handle_data(self, data: str) -> None:
            if self.into:
                texts[self.into][-1] += data

    def read(text: str) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return None

    def first(*names: str) -> str:
        return next((" ".join(meta[name].split()) for name in names if meta.get(name)), "")

    reader = Reader()
    reader.feed(html)
    reader.close()
    image = first("og:image", "twitter:image")
    return {
        "title": first("og:title") or " ".join("".join(texts["title"]).split()) or first("twitter:title"),
        "description": first("description", "og:description", "twitter:description"),
        "url": (links.get("canonical") or [urllib.parse.urljoin(base, first("og:url"))])[0],
        "image": urllib.parse.urljoin(base, image) if image else "",
        "site": first("og:site_name", "application-name"),
        "author": first("author", "article:author"),
        "published": first("article:published_time", "date", "dc.date"),
        "language": first("language", "og:locale"),
        "feeds": links.get("feed", []),
        "data": [value for value in map(read, texts["json"]) if value is not None],
    }


@selfmade.function(
    tests=[
        {
            "input": {"url": "https://example.com"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {
                        "url": "https://example.com/",
                        "status": 200,
                        "type": "text/html",
                        "body": "<title>T</title><p>Hello <a href=/b>b</a></p>",
                    },
                }
            ],
            "expect": {
                "output": {
                    "url": "https://example.com/",
                    "title": "T",
                    "description": "",
                    "text": "Hello b",
                    "links": [{"url": "https://example.com/b", "text": "b", "external": False}],
                }
            },
        },
        {
            "name": "a page that is not there",
            "input": {"url": "https://example.com/none"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {"url": "https://example.com/none", "status": 404, "type": "", "body": ""},
                }
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "answered 404"}},
        },
        {
            "name": "a picture is no page",
            "input": {"url": "https://example.com/a.png"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {
                        "url": "https://example.com/a.png",
                        "status": 200,
                        "type": "image/png",
                        "body": {"$bytes": "iQ=="},
                    },
                }
            ],
            "expect": {"error": {"type": "ValueError", "message": "image/png"}},
        },
    ],
)
def read_page(url: str, longest: int = 20_000) -> dict[str, Any]:
    """Read a page of the public web: title, description, text, links.

    Args:
        url: The address.
        longest: The most characters of the text.
    """
    page = browse(url)
    if page["status"] != 200:
        raise RuntimeError(f"`{url}` answered {page['status']}")
    body = page["body"]
    if not isinstance(body, str):
        raise ValueError(f"`{url}` is {page['type'] or 'no text'}, and no page")
    about = html_metadata(body, page["url"])
    text = html_text(body) if "<" in body and page["type"] != "text/plain" else body
    return {
        "url": page["url"],
        "title": about["title"],
        "description": about["description"],
        "text": text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0] + " …",
        "links": html_links(body, page["url"]),
    }
