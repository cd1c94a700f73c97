"""Blocks that read: the web, feeds, Wikipedia, the weather, YouTube."""

import datetime
import email.utils
import re
import urllib.parse
import xml.etree.ElementTree
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    network=["s.jina.ai"],
    secrets=["jina_api_key"],
    timeout=120,
    tests=[
        {
            "input": {"query": "rain & sun"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": "[1] Title: Rain"}}],
            "expect": {"pins": [["results", "[1] Title: Rain"]]},
        },
        {
            "name": "a key that is none",
            "input": {"query": "rain"},
            "mocks": [{"function": "call_service", "output": {"status": 401, "body": "no key"}}],
            "expect": {"error": {"type": "RuntimeError", "message": "Jina answered 401: no key"}},
        },
    ],
)
def search_the_web(query: str) -> Iterator[tuple[str, str]]:
    """Search the web with Jina, and read what is found as one text.

    Args:
        query: What to look for.
    """
    from selfmade import secrets

    headers = {"Authorization": f"Bearer {secrets.jina_api_key}", "Accept": "text/plain"}
    url = f"https://s.jina.ai/?q={urllib.parse.quote(query, safe='')}"
    results: str = checked_answer("Jina", call_service(url, headers=headers))
    yield "results", results


@selfmade.function(
    network=["r.jina.ai"],
    secrets=["jina_api_key"],
    timeout=120,
    tests=[
        {
            "input": {"url": "https://example.com"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": "# Example"}}],
            "expect": {"pins": [["content", "# Example"]]},
        },
        {
            "name": "as it is",
            "input": {"url": "https://example.com", "raw_content": True},
            "mocks": [{"function": "fetch_public", "output": "<h1>Example</h1>"}],
            "expect": {"pins": [["content", "<h1>Example</h1>"]]},
        },
        {
            "name": "an address that is none",
            "input": {"url": "example"},
            "expect": {"error": {"type": "ValueError", "message": "must begin with http:// or https://"}},
        },
    ],
)
def extract_website(url: str, raw_content: bool = False) -> Iterator[tuple[str, str]]:
    """Read a page of the public web: its text in Markdown by Jina's reader, or as it is.

    Args:
        url: The address.
        raw_content: Whether to get the page itself.
    """
    from selfmade import secrets

    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"`{url}` must begin with http:// or https://")
    if raw_content:
        content: str = fetch_public(url)
    else:
        headers = {"Authorization": f"Bearer {secrets.jina_api_key}", "Accept": "text/plain"}
        content = checked_answer("Jina", call_service(f"https://r.jina.ai/{url}", headers=headers))
    yield "content", content


@selfmade.function(
    network=["en.wikipedia.org"],
    tests=[
        {
            "input": {"topic": "Rain"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": {"extract": "Rain is water."}}}],
            "expect": {"pins": [["summary", "Rain is water."]]},
        },
        {
            "name": "no such article",
            "input": {"topic": "Rayn"},
            "mocks": [{"function": "call_service", "output": {"status": 404, "body": {}}}],
            "expect": {"error": {"type": "LookupError", "message": "no article `Rayn`"}},
        },
    ],
)
def get_wikipedia_summary(topic: str) -> Iterator[tuple[str, str]]:
    """Read the summary of an article of the English Wikipedia.

    Args:
        topic: The title of the article.
    """
    title = urllib.parse.quote(topic.strip().replace(" ", "_"), safe="")
    answer = call_service(f"https://en.wikipedia.org/api/rest_v1/page/summary/{title}", follow=3)
    if answer["status"] == 404:
        raise LookupError(f"there is no article `{topic}`")
    summary: str = checked_answer("Wikipedia", answer)["extract"]
    yield "summary", summary


@selfmade.function(
    network=["api.openweathermap.org"],
    secrets=["openweathermap_api_key"],
    tests=[
        {
            "input": {"location": "Oslo"},
            "mocks": [
                {
                    "function": "call_service",
                    "output": {
                        "status": 200,
                        "body": {"main": {"temp": 0, "humidity": 87}, "weather": [{"description": "snow"}]},
                    },
                }
            ],
            "expect": {"pins": [["temperature", "0"], ["humidity", "87"], ["condition", "snow"]]},
        },
        {
            "name": "a place that is none",
            "input": {"location": "Nowhere", "use_celsius": False},
            "mocks": [
                {"function": "call_service", "output": {"status": 404, "body": {"message": "city not found"}}}
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "city not found"}},
        },
    ],
)
def get_weather(location: str, use_celsius: bool = True) -> Iterator[tuple[str, str]]:
    """Tell the weather at a place, by OpenWeatherMap.

    Args:
        location: The place, such as `Oslo` or `Oslo,NO`.
        use_celsius: Whether the temperature is in degrees Celsius; Fahrenheit otherwise.
    """
    from selfmade import secrets

    asked = {
        "q": location,
        "appid": secrets.openweathermap_api_key,
        "units": "metric" if use_celsius else "imperial",
    }
    answer = call_service("https://api.openweathermap.org/data/2.5/weather", params=asked)
    found = checked_answer("OpenWeatherMap", answer)
    yield "temperature", f"{found['main']['temp']}"
    yield "humidity", f"{found['main']['humidity']}"
    condition: str = found["weather"][0]["description"]
    yield "condition", condition


@selfmade.function(
    tests=[
        {
            "input": {
                "text": "<rss><channel><item><title>A</title><link>https://e.com/a</link><description>d</description>"
                "<author>Ada</author><category>x</category><category>y</category>"
                "<pubDate>Mon, 05 Jan 2026 14:30:00 +0100</pubDate></item><item><title>B</title></item></channel></rss>"
            },
            "expect": {
                "output": [
                    {
                        "title": "A",
                        "link": "https://e.com/a",
                        "description": "d",
                        "pub_date": "2026-01-05T13:30:00+00:00",
                        "author": "Ada",
                        "categories": ["x", "y"],
                    },
                    {
                        "title": "B",
                        "link": "",
                        "description": "",
                        "pub_date": "",
                        "author": "",
                        "categories": [],
                    },
                ]
            },
        },
        {
            "name": "Atom",
            "input": {
                "text": "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>C</title><link href='https://e.com/c'/>"
                "<author><name>Bob</name></author><category term='z'/><updated>2026-01-05T14:30:00Z</updated>"
                "<summary>s</summary></entry></feed>"
            },
            "expect": {
                "output": [
                    {
                        "title": "C",
                        "link": "https://e.com/c",
                        "description": "s",
                        "pub_date": "2026-01-05T14:30:00+00:00",
                        "author": "Bob",
                        "categories": ["z"],
                    }
                ]
            },
        },
        {
            "name": "what is no feed",
            "input": {"text": "<html>"},
            "expect": {"error": {"type": "ValueError", "message": "this is not a feed"}},
        },
    ],
)
def rss_entries(text: str) -> list[dict[str, Any]]:
    """Read the entries of a feed in RSS or Atom.

    Args:
        text: The feed.
    """
    try:
        root = xml.etree.ElementTree.fromstring(text.strip())
    except xml.etree.ElementTree.ParseError as error:
        raise ValueError(f"this is not a feed: {error}") from None

    def parts(entry: Any, *names: str) -> list[Any]:
        return [part for name in names for part in entry if part.tag.rpartition("}")[2] == name]

    def text_of(entry: Any, *names: str) -> str:
        written = ["".join(part.itertext()).strip() for part in parts(entry, *names)]
        return next((one for one in written if one), "")

    def moment(date: str) -> str:
        for read in (email.utils.parsedate_to_datetime, datetime.datetime.fromisoformat):
            try:
                found = read(date.replace("Z", "+00:00") if date.endswith("Z") else date)
            except (TypeError, ValueError):
                continue
            aware = found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)
            return aware.astimezone(datetime.timezone.utc).isoformat()
        return ""

    return [
        {
            "title": text_of(entry, "title"),
            "link": text_of(entry, "link") or next((one.get("href", "") for one in parts(entry, "link")), ""),
            "description": text_of(entry, "description", "summary", "content"),
            "pub_date": moment(text_of(entry, "pubDate", "published", "updated", "date")),
            "author": text_of(entry, "author", "creator"),
            "categories": [part.get("term") or "".join(part.itertext()) for part in parts(entry, "category")],
        }
        for entry in root.iter()
        if entry.tag.rpartition("}")[2] in ("item", "entry")
    ]


@selfmade.function(
    tests=[
        {
            "input": {
                "url": "https://e.com/feed",
                "polling_rate": 60,
                "time_period": 60,
                "run_continuously": False,
            },
            "mocks": [
                {"function": "now", "output": 1767621600},
                {
                    "function": "fetch_public",
                    "output": "<rss><item><title>new</title><pubDate>Mon, 05 Jan 2026 13:30:00 GMT</pubDate></item>"
                    "<item><title>old</title><pubDate>Mon, 05 Jan 2026 12:30:00 GMT</pubDate></item></rss>",
                },
            ],
            "expect": {
                "pins": [
                    [
                        "entry",
                        {
                            "title": "new",
                            "link": "",
                            "description": "",
                            "pub_date": "2026-01-05T13:30:00+00:00",
                            "author": "",
                            "categories": [],
                        },
                    ]
                ]
            },
        },
        {
            "name": "a rate that is none",
            "input": {"url": "https://e.com/feed", "polling_rate": 0},
            "expect": {"error": {"type": "ValueError", "message": "`polling_rate`"}},
        },
    ],
)
def read_rss_entries(
    url: str, polling_rate: int = 300, time_period: int = 1440, run_continuously: bool = True
) -> Iterator[tuple[str, Any]]:
    """Send the new entries of a feed of the public web, once or for as long as the run lasts.

    It sleeps between two looks, and holds no cell meanwhile. After 4000 looks it ends. A schedule that looks once a run is
    the better way to watch a feed for months.

    Args:
        url: The address of the feed.
        polling_rate: How many seconds to wait between two looks.
        time_period: How many minutes before the first look an entry may be from.
        run_continuously: Whether to go on looking.
    """
    from selfmade import now, sleep

    if polling_rate < 1:
        raise ValueError(f"`polling_rate` must be at least 1 second, not {polling_rate}")
    since = datetime.datetime.fromtimestamp(now() - 60 * time_period, datetime.timezone.utc).isoformat()
    seen = set()
    for _ in range(4000 if run_continuously else 1):
        for entry in rss_entries(fetch_public(url)):
            known = entry["link"] or entry["title"]
            if known not in seen and (not entry["pub_date"] or entry["pub_date"] >= since):
                seen.add(known)
                yield "entry", entry
        if run_continuously:
            sleep(polling_rate)


@selfmade.function(
    tests=[
        {"input": {"url": "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1"}, "expect": {"output": "dQw4w9WgXcQ"}},
        {"name": "a short address", "input": {"url": "https://youtu.be/dQw4w9WgXcQ"}, "expect": {"output": "dQw4w9WgXcQ"}},
        {
            "name": "another site",
            "input": {"url": "https://example.com/watch?v=dQw4w9WgXcQ"},
            "expect": {"error": {"type": "ValueError", "message": "is not the address of a YouTube video"}},
        },
    ],
)
def youtube_video_id(url: str) -> str:
    """Read the id of a video in its address.

    Args:
        url: The address on YouTube.
    """
    parts = urllib.parse.urlsplit(url)
    path = parts.path.strip("/").split("/")
    host = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    found = ""
    if host == "youtu.be":
        found = path[0]
    elif host == "youtube.com" and path[0] == "watch":
        found = urllib.parse.parse_qs(parts.query).get("v", [""])[0]
    elif host == "youtube.com" and path[0] in ("embed", "shorts", "live", "v"):
        found = path[-1]
    if not re.fullmatch(r"[\w-]{11}", found):
        raise ValueError(f"`{url}` is not the address of a YouTube video")
    return found


@selfmade.function(
    network=["www.youtube.com"],
    timeout=120,
    tests=[
        {
            "name": "a video without subtitles",
            "input": {"youtube_url": "https://youtu.be/dQw4w9WgXcQ"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": {"playabilityStatus": {}}}}],
            "expect": {"error": {"type": "LookupError", "message": "has no subtitles"}},
        },
        {
            "name": "another site",
            "input": {"youtube_url": "https://example.com"},
            "expect": {"error": {"type": "ValueError", "message": "YouTube"}},
        },
    ],
)
def transcribe_youtube(youtube_url: str) -> Iterator[tuple[str, str]]:
    """Read the subtitles of a video on YouTube as one text: the English ones, or else the first.

    Args:
        youtube_url: The address of the video.
    """
    video_id: str = youtube_video_id(youtube_url)
    # The web's own player wants a token that only a browser can make; that of the app does not.
    client = {"clientName": "ANDROID", "clientVersion": "20.10.38", "hl": "en"}
    asked = {"context": {"client": client}, "videoId": video_id}
    player = checked_answer("YouTube", call_service("https://www.youtube.com/youtubei/v1/player", "POST", data=asked))
    listed = player.get("captions", {}).get("playerCaptionsTracklistRenderer", {}).get("captionTracks", [])
    if not listed:
        reason = player.get("playabilityStatus", {}).get("reason", "")
        raise LookupError(f"the video `{video_id}` has no subtitles" + (f": {reason}" if reason else ""))
    track = next((one for one in listed if one["languageCode"].split("-")[0] == "en"), listed[0])
    address = urllib.parse.urlsplit(track["baseUrl"])
    query = dict(urllib.parse.parse_qsl(address.query)) | {"fmt": "json3"}
    # Whatever host the answer names, only YouTube is asked.
    found = checked_answer("YouTube", call_service(f"https://www.youtube.com{address.path}", params=query))
    lines = ["".join(part.get("utf8", "") for part in event.get("segs", [])) for event in found["events"]]
    transcript: str = " ".join(" ".join(lines).split())
    yield "video_id", video_id
    yield "transcript", transcript
