"""Feeds, sitemaps and robots."""

import datetime
import email.utils
import re
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {
                "text": "<rss version='2.0'><channel><title>News</title><link>https://e.com</link><item><title>A</title>"
                "<link>https://e.com/a</link><guid>1</guid><pubDate>Mon, 05 Jan 2026 14:30:00 +0100</pubDate>"
                "<description>&lt;p&gt;Hi&lt;/p&gt;</description></item></channel></rss>"
            },
            "expect": {
                "output": {
                    "title": "News",
                    "url": "https://e.com",
                    "entries": [
                        {
                            "title": "A",
                            "url": "https://e.com/a",
                            "id": "1",
                            "published": "2026-01-05T14:30:00+01:00",
                            "summary": "<p>Hi</p>",
                        }
                    ],
                }
            },
        },
        {
            "name": "Atom",
            "input": {
                "text": "<feed xmlns='http://www.w3.org/2005/Atom'><title>N</title><link rel='self' href='x'/>"
                "<link href='https://e.com/'/><entry><title>B</title><id>u:1</id><link href='https://e.com/b'/>"
                "<updated>2026-01-05T14:30:00Z</updated></entry></feed>"
            },
            "expect": {
                "output": {
                    "title": "N",
                    "url": "https://e.com/",
                    "entries": [
                        {
                            "title": "B",
                            "url": "https://e.com/b",
                            "id": "u:1",
                            "published": "2026-01-05T14:30:00+00:00",
                            "summary": "",
                        }
                    ],
                }
            },
        },
        {
            "name": "what is no feed",
            "input": {"text": "<html></html>"},
            "expect": {"error": {"type": "ValueError", "message": "`html`"}},
        },
    ],
)
def parse_feed(text: str) -> dict[str, Any]:
    """Read a feed in RSS or Atom: its title, its address and its entries.

    Args:
        text: The feed's XML.
    """

    def plain(tag: str) -> str:
        return tag.rpartition("}")[2]

    def child(element: Any, *names: str) -> str:
        for name in names:
            for part in element:
                if plain(part.tag) == name and (part.text or "").strip():
                    return part.text.strip()
        return ""

    def address(element: Any) -> str:
        for part in element:
            if plain(part.tag) == "link" and part.get("href") and part.get("rel", "alternate") == "alternate":
                return part.get("href")
        return child(element, "link")

    def moment(date: str) -> str:
        try:
            return datetime.datetime.fromisoformat(date.replace("Z", "+00:00")).isoformat()
        except ValueError:
            pass
        try:
            return email.utils.parsedate_to_datetime(date).isoformat()
        except ValueError:
            return date

    try:
        root = xml.etree.ElementTree.fromstring(text.strip())
    except xml.etree.ElementTree.ParseError as error:
        raise ValueError(f"this is no feed: {error}") from error
    if plain(root.tag) not in ("rss", "RDF", "feed"):
        raise ValueError(f"this is no feed: its root is `{plain(root.tag)}`")
    channel = next((part for part in root if plain(part.tag) == "channel"), root)
    entries = [part for part in root.iter() if plain(part.tag) in ("item", "entry")]
    return {
        "title": child(channel, "title"),
        "url": address(channel),
        "entries": [
            {
                "title": child(entry, "title"),
                "url": address(entry),
                "id": child(entry, "guid", "id") or address(entry),
                "published": moment(child(entry, "pubDate", "published", "updated", "date")),
                "summary": child(entry, "description", "summary", "content", "encoded"),
            }
            for entry in entries
        ],
    }


@selfmade.function(
    tests=[
        {
            "input": {"url": "https://example.com/feed", "limit": 1},
            "mocks": [
                {
                    "function": "browse",
                    "output": {
                        "url": "https://example.com/feed",
                        "status": 200,
                        "type": "",
                        "body": "<rss/>",
                    },
                },
                {
                    "function": "parse_feed",
                    "output": {"title": "N", "url": "", "entries": [{"title": "A"}, {"title": "B"}]},
                },
            ],
            "expect": {"output": {"title": "N", "url": "", "entries": [{"title": "A"}]}},
        },
        {
            "name": "a server that is down",
            "input": {"url": "https://example.com/feed"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {"url": "https://example.com/feed", "status": 503, "type": "", "body": ""},
                }
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "answered 503"}},
        },
    ],
)
def read_feed(url: str, limit: int = 20) -> dict[str, Any]:
    """Read a feed of the public web, in RSS or Atom.

    Args:
        url: The feed's address; `html_metadata` finds those of a page.
        limit: The most entries to return.
    """
    page = browse(url)
    if page["status"] != 200:
        raise RuntimeError(f"`{url}` answered {page['status']}")
    body = page["body"] if isinstance(page["body"], str) else page["body"].decode("utf-8", "replace")
    feed = parse_feed(body)
    return {**feed, "entries": feed["entries"][:limit]}


@selfmade.function(
    tests=[
        {
            "input": {
                "text": "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://e.com/a</loc>"
                "<lastmod>2026-01-01</lastmod></url><url><loc> https://e.com/b </loc></url></urlset>"
            },
            "expect": {
                "output": {
                    "pages": [
                        {"url": "https://e.com/a", "changed": "2026-01-01"},
                        {"url": "https://e.com/b", "changed": ""},
                    ],
                    "sitemaps": [],
                }
            },
        },
        {
            "name": "one that lists others",
            "input": {
                "text": "<sitemapindex><sitemap><loc>https://e.com/1.xml</loc></sitemap></sitemapindex>"
            },
            "expect": {"output": {"pages": [], "sitemaps": ["https://e.com/1.xml"]}},
        },
    ],
)
def parse_sitemap(text: str) -> dict[str, Any]:
    """Read a sitemap: its pages with the dates of their last change, and the further sitemaps it lists.

    Args:
        text: The sitemap's XML.
    """
    pages: list[dict[str, str]] = []
    sitemaps: list[str] = []
    for element in xml.etree.ElementTree.fromstring(text.strip()):
        fields = {part.tag.rpartition("}")[2]: (part.text or "").strip() for part in element}
        if element.tag.rpartition("}")[2] == "sitemap":
            sitemaps.append(fields.get("loc", ""))
        elif "loc" in fields:
            pages.append({"url": fields["loc"], "changed": fields.get("lastmod", "")})
    return {"pages": pages, "sitemaps": sitemaps}


@selfmade.function(
    tests=[
        {
            "input": {
                "robots": "User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\nSitemap: https://e.com/s.xml",
                "url": "https://e.com/private/open/a",
            },
            "expect": {"output": {"allowed": True, "delay": 2, "sitemaps": ["https://e.com/s.xml"]}},
        },
        {
            "name": "patterns, and the end of the address",
            "input": {"robots": "User-agent: *\nDisallow: /*.pdf$", "url": "https://e.com/a.pdf"},
            "expect": {"output": {"allowed": False, "delay": 0, "sitemaps": []}},
        },
        {
            "name": "a group of its own wins over the one for all",
            "input": {
                "robots": "User-agent: *\nDisallow: /\n\nUser-agent: selfmade\nDisallow:",
                "url": "https://e.com/a",
                "agent": "selfmade",
            },
            "expect": {"output": {"allowed": True, "delay": 0, "sitemaps": []}},
        },
    ],
)
def parse_robots(robots: str, url: str, agent: str = "selfmade") -> dict[str, Any]:
    """Read a `robots.txt`: whether it allows a crawler an address, how long to wait, which sitemaps there are.

    Args:
        robots: The text of `robots.txt`.
        url: The address, of the same host.
        agent: The crawler's name.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    sitemaps: list[str] = []
    agents: list[str] = []
    in_rules = False
    for line in robots.splitlines():
        name, _, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if name == "sitemap":
            sitemaps.append(value)
        elif name == "user-agent":
            agents = [value.lower()] if in_rules or not agents else [*agents, value.lower()]
            in_rules = False
            groups.setdefault(value.lower(), [])
        elif name in ("allow", "disallow", "crawl-delay"):
            in_rules = True
            for one in agents:
                groups[one].append((name, value))
    own = [name for name in groups if name != "*" and name in agent.lower()]
    rules = groups.get(max(own, key=len) if own else "*", [])
    parts = urllib.parse.urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def fits(pattern: str) -> bool:
        made = re.escape(pattern.removesuffix("$")).replace(r"\*", ".*")
        return re.match(made + ("$" if pattern.endswith("$") else ""), path) is not None

    # The longest pattern decides; of two that are as long, the one that allows.
    decided = [
        (len(value), name == "allow")
        for name, value in rules
        if name != "crawl-delay" and value and fits(value)
    ]
    delays = [
        float(value) for name, value in rules if name == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value)
    ]
    return {
        "allowed": max(decided)[1] if decided else True,
        "delay": max(delays, default=0.0),
        "sitemaps": sitemaps,
    }


@selfmade.function(
    tests=[
        {
            "input": {"url": "https://example.com/a"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {
                        "url": "",
                        "status": 200,
                        "type": "text/plain",
                        "body": "User-agent: *\nDisallow: /a",
                    },
                }
            ],
            "expect": {"output": False},
        },
        {
            "name": "no rules, no limits",
            "input": {"url": "https://example.com/a"},
            "mocks": [
                {
                    "function": "browse",
                    "output": {"url": "", "status": 404, "type": "text/html", "body": "<html>"},
                }
            ],
            "expect": {"output": True},
        },
        {
            "name": "a server that cannot say is left alone",
            "input": {"url": "https://example.com/a"},
            "mocks": [{"function": "browse", "output": {"url": "", "status": 503, "type": "", "body": ""}}],
            "expect": {"output": False},
        },
    ],
)
def may_crawl(url: str, agent: str = "selfmade") -> bool:
    """Ask a site of the public web, by its `robots.txt`, whether a crawler may get an address.

    Args:
        url: The address.
        agent: The crawler's name.
    """
    answer = browse(urllib.parse.urljoin(url, "/robots.txt"), limit=500_000)
    if answer["status"] != 200:
        return 400 <= answer["status"] < 500
    return not isinstance(answer["body"], str) or parse_robots(answer["body"], url, agent)["allowed"]
