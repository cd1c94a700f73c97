"""The time, in any zone, and durations."""

import datetime
import re
import zoneinfo
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"zone": "Europe/Oslo"},
            "mocks": [{"function": "now", "output": 1769860800}],
            "expect": {
                "output": {
                    "iso": "2026-01-31T13:00:00+01:00",
                    "date": "2026-01-31",
                    "time": "13:00:00",
                    "weekday": "Saturday",
                    "week": 5,
                    "timestamp": 1769860800,
                }
            },
        },
        {
            "name": "a zone that is none",
            "input": {"zone": "Mars/Olympus"},
            "mocks": [{"function": "now", "output": 0}],
            "expect": {"error": {"type": "ValueError", "message": "Mars/Olympus"}},
        },
    ],
)
def current_time(zone: str = "UTC") -> dict[str, Any]:
    """Tell the time in a time zone: ISO, date, time, weekday, week, seconds since 1970.

    Args:
        zone: The zone, such as `Europe/Oslo`. The moment is recorded, so a replay of the run sees the same.
    """
    from selfmade import now

    timestamp = now()
    try:
        moment = datetime.datetime.fromtimestamp(timestamp, zoneinfo.ZoneInfo(zone))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"`{zone}` is no time zone; write it as `Europe/Oslo`") from error
    return {
        "iso": moment.isoformat(),
        "date": moment.date().isoformat(),
        "time": moment.strftime("%H:%M:%S"),
        "weekday": moment.strftime("%A"),
        "week": moment.isocalendar().week,
        "timestamp": timestamp,
    }


@selfmade.function(
    tests=[
        {
            "input": {"moment": "2026-07-01T12:00:00", "source": "Europe/Oslo", "target": "America/New_York"},
            "expect": {"output": "2026-07-01T06:00:00-04:00"},
        },
        {
            "name": "its own offset wins over the zone it is said to be from",
            "input": {"moment": "2026-07-01T12:00:00Z", "source": "Asia/Tokyo", "target": "UTC"},
            "expect": {"output": "2026-07-01T12:00:00+00:00"},
        },
        {
            "name": "what is no moment",
            "input": {"moment": "noon", "source": "UTC", "target": "UTC"},
            "expect": {"error": {"type": "ValueError", "message": "noon"}},
        },
    ],
)
def convert_time(moment: str, source: str, target: str) -> str:
    """Tell a moment of one time zone in another.

    Args:
        moment: The moment in ISO 8601.
        source: The zone it is from, unless it says so itself.
        target: The zone to tell it in.
    """
    given = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if given.tzinfo is None:
        given = given.replace(tzinfo=zoneinfo.ZoneInfo(source))
    return given.astimezone(zoneinfo.ZoneInfo(target)).isoformat()


@selfmade.function(
    tests=[
        {"input": {"text": "1h 30m"}, "expect": {"output": 5400}},
        {"input": {"text": "1.5 days"}, "expect": {"output": 129600}},
        {"name": "as clocks show it", "input": {"text": "2:05:10"}, "expect": {"output": 7510}},
        {
            "name": "what is none",
            "input": {"text": "1 fortnight"},
            "expect": {"error": {"type": "ValueError", "message": "1 fortnight"}},
        },
    ],
)
def parse_duration(text: str) -> float:
    """Read a duration such as `90s`, `1h 30m`, `2 days` or `2:05:10`, in seconds.

    Args:
        text: The duration.
    """
    text = text.strip().lower()
    if re.fullmatch(r"(\d+:)?\d+:\d\d(\.\d+)?", text):
        seconds = 0.0
        for part in text.split(":"):
            seconds = seconds * 60 + float(part)
        return seconds
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
    names = {
        "sec": "s",
        "second": "s",
        "min": "m",
        "minute": "m",
        "hr": "h",
        "hour": "h",
        "day": "d",
        "week": "w",
    }
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text)
    spelt = "".join(number + unit for number, unit in parts)
    known = [
        (float(number), unit if unit in units else names.get(unit.rstrip("s"))) for number, unit in parts
    ]
    if not parts or spelt != re.sub(r"[\s,]+", "", text) or any(unit is None for _, unit in known):
        raise ValueError(f"`{text}` is no duration; write it as `1h 30m`, `90s` or `2:05:10`")
    return sum(number * units[unit] for number, unit in known)


@selfmade.function(
    tests=[
        {"input": {"seconds": 93784}, "expect": {"output": "1d 2h 3m 4s"}},
        {
            "name": "the two largest units",
            "input": {"seconds": 93784, "units": 2},
            "expect": {"output": "1d 2h"},
        },
        {"name": "less than a second", "input": {"seconds": 0.25}, "expect": {"output": "250ms"}},
        {"name": "nothing", "input": {"seconds": 0}, "expect": {"output": "0s"}},
    ],
)
def format_duration(seconds: float, units: int = 4) -> str:
    """Write seconds for people: `1d 2h 3m 4s`.

    Args:
        seconds: The seconds; a `-` goes before all of it.
        units: How many units to show at most, the largest first.
    """
    sign, rest = ("-" if seconds < 0 else ""), abs(seconds)
    if 0 < rest < 1:
        return f"{sign}{round(rest * 1000)}ms"
    whole, parts = int(rest), []
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count}{unit}")
    return sign + (" ".join(parts[:units]) or "0s")
