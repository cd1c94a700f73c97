"""Search on the web."""

import re
import urllib.error
import urllib.parse
import urllib.request

import selfmade


@selfmade.function(
    network=["*.wikipedia.org"],
    tests=[
        {
            "input": {"query": "rain", "limit": 1},
            "mocks": [
                {
                    "function": "fetch_json",
                    "output": {
                        "query": {
                            "search": [{"title": "Rain", "snippet": "<span>Rain</span> is water &amp; falls"}]
                        }
                    },
                }
            ],
            "expect": {
                "output": [
                    {
                        "title": "Rain",
                        "url": "https://en.wikipedia.org/wiki/Rain",
                        "text": "Rain is water & falls",
                    }
                ]
            },
        },
        {
            "name": "a language that is none",
            "input": {"query": "rain", "language": "evil.example/"},
            "expect": {"error": {"type": "ValueError", "message": "language"}},
        },
    ],
)
def search_wikipedia(query: str, language: str = "en", limit: int = 5) -> list[dict[str, str]]:
    """Search Wikipedia; no key is needed.

    Args:
        query: What to look for.
        language: The language's code, such as `en` or `de`.
        limit: The most to return.
    """
    if not re.fullmatch(r"[a-z-]{2,12}", language):
        raise ValueError(f"`{language}` is no language; write its code, such as `en`")
    site = f"https://{language}.wikipedia.org"
    asked = {"action": "query", "list": "search", "srsearch": query, "srlimit": limit, "format": "json"}
    found = fetch_json(f"{site}/w/api.php", params=asked)["query"]["search"]
    return [
        {
            "title": page["title"],
            "url": f"{site}/wiki/{urllib.parse.quote(page['title'].replace(' ', '_'))}",
            "text": html_text(page["snippet"]),
        }
        for page in found
    ]


@selfmade.function(
    network=["api.search.brave.com"],
    secrets=["brave_api_key"],
    tests=[
        {
            "input": {"query": "rain"},
            "mocks": [
                {
                    "function": "fetch_json",
                    "output": {
                        "web": {
                            "results": [
                                {"title": "Rain", "url": "https://e.com", "description": "<b>Wet</b>"}
                            ]
                        }
                    },
                }
            ],
            "expect": {"output": [{"title": "Rain", "url": "https://e.com", "text": "Wet"}]},
        },
        {
            "name": "nothing found",
            "input": {"query": "rain"},
            "mocks": [{"function": "fetch_json", "output": {}}],
            "expect": {"output": []},
        },
    ],
)
def search_web(query: str, limit: int = 10) -> list[dict[str, str]]:
    """Search the web with Brave's search API.

    The secret `brave_api_key` is its key.

    Args:
        query: What to look for.
        limit: The most to return, up to 20.
    """
    from selfmade import secrets

    answer = fetch_json(
        "https://api.search.brave.com/res/v1/web/search",
        params={"q": query, "count": max(1, min(limit, 20))},
        headers={"X-Subscription-Token": secrets.brave_api_key},
    )
    results = answer.get("web", {}).get("results", [])
    return [
        {"title": result["title"], "url": result["url"], "text": html_text(result.get("description", ""))}
        for result in results
    ]
