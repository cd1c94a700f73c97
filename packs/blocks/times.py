"""Blocks for dates and timers. A timer that sleeps for long holds no cell."""

import datetime
import zoneinfo
from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {"input": {"seconds": 0, "pattern": "%Y-%m-%d %H:%M:%S"}, "expect": {"output": "1970-01-01 00:00:00"}},
        {
            "name": "ISO 8601, in a time zone",
            "input": {
                "seconds": 0,
                "pattern": "%Y",
                "format_type": {"discriminator": "iso8601", "timezone": "Europe/Berlin"},
            },
            "expect": {"output": "1970-01-01T01:00:00+01:00"},
        },
        {
            "name": "no such time zone",
            "input": {"seconds": 0, "pattern": "%Y", "format_type": {"timezone": "Mars/Base"}},
            "expect": {"error": {"type": "ValueError", "message": "`Mars/Base` is not a time zone"}},
        },
    ],
)
def write_moment(seconds: float, pattern: str, format_type: dict[str, Any] | None = None) -> str:
    """Write a moment as a format says.

    Args:
        seconds: The moment, in seconds since 1970.
        pattern: The format unless `format_type` has another, as `strftime` takes it.
        format_type: `discriminator` is `strftime` or `iso8601`; `format` and `timezone` say more.
    """
    chosen = format_type or {}
    zone = chosen.get("timezone") or "UTC"
    try:
        place = zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"`{zone}` is not a time zone; write it as `Europe/Berlin`") from None
    moment = datetime.datetime.fromtimestamp(seconds, place)
    if chosen.get("discriminator") == "iso8601":
        return moment.isoformat()
    return moment.strftime(chosen.get("format") or pattern)


@selfmade.function(
    tests=[
        {
            "input": {"trigger": "go", "offset": "7"},
            "mocks": [{"function": "now", "output": 1767621600}],
            "expect": {"pins": [["date", "2025-12-29"]]},
        },
        {
            "name": "ISO 8601",
            "input": {"trigger": None, "format_type": {"discriminator": "iso8601", "timezone": "Asia/Tokyo"}},
            "mocks": [{"function": "now", "output": 1767625200}],
            "expect": {"pins": [["date", "2026-01-06"]]},
        },
        {
            "name": "an offset that is no number",
            "input": {"trigger": 1, "offset": "soon"},
            "expect": {"error": {"type": "ValueError", "message": "`soon`"}},
        },
    ],
)
def get_date(
    trigger: Any, offset: int | str = 0, format_type: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Tell today's date, or one some days before.

    Args:
        trigger: Any value; the date is told once for each.
        offset: How many days before today; negative ones are after it.
        format_type: How to write it; see `write_moment`. ISO 8601 is the date alone.
    """
    from selfmade import now

    try:
        days = int(offset)
    except ValueError:
        raise ValueError(f"`offset` must be a whole number of days, not `{offset}`") from None
    chosen = dict(format_type or {})
    if chosen.pop("discriminator", "") == "iso8601":
        chosen["format"] = "%Y-%m-%d"
    date: str = write_moment(now() - days * 86400, "%Y-%m-%d", chosen)
    yield "date", date


@selfmade.function(
    tests=[
        {
            "input": {"trigger": "go"},
            "mocks": [{"function": "now", "output": 1767621600}],
            "expect": {"pins": [["date_time", "2026-01-05 14:00:00"]]},
        },
        {
            "name": "in another form",
            "input": {"trigger": "", "format_type": {"format": "%d.%m.%Y %H Uhr", "timezone": "Europe/Berlin"}},
            "mocks": [{"function": "now", "output": 1767621600}],
            "expect": {"pins": [["date_time", "05.01.2026 15 Uhr"]]},
        },
    ],
)
def get_date_and_time(trigger: Any, format_type: dict[str, Any] | None = None) -> Iterator[tuple[str, str]]:
    """Tell the date and the time.

    Args:
        trigger: Any value; the time is told once for each.
        format_type: How to write it; see `write_moment`.
    """
    from selfmade import now

    moment: str = write_moment(now(), "%Y-%m-%d %H:%M:%S", format_type)
    yield "date_time", moment


@selfmade.function(
    tests=[
        {
            "input": {"trigger": "go"},
            "mocks": [{"function": "now", "output": 1767621600}],
            "expect": {"pins": [["time", "14:00:00"]]},
        },
        {
            "name": "in a time zone",
            "input": {"trigger": "go", "format_type": {"timezone": "America/New_York"}},
            "mocks": [{"function": "now", "output": 1767621600}],
            "expect": {"pins": [["time", "09:00:00"]]},
        },
    ],
)
def get_time(trigger: Any, format_type: dict[str, Any] | None = None) -> Iterator[tuple[str, str]]:
    """Tell the time of day.

    Args:
        trigger: Any value; the time is told once for each.
        format_type: How to write it; see `write_moment`.
    """
    from selfmade import now

    moment: str = write_moment(now(), "%H:%M:%S", format_type)
    yield "time", moment


@selfmade.function(
    tests=[
        {
            "input": {"message": {"a": 0}, "seconds": "1", "repeat": 2},
            "expect": {"pins": [["message", {"a": 0}], ["message", {"a": 0}]]},
        },
        {"name": "at once", "input": {}, "expect": {"pins": [["message", "timer finished"]]}},
        {
            "name": "a week at most",
            "input": {"days": 7, "seconds": 1},
            "expect": {"error": {"type": "ValueError", "message": "at most 7 days"}},
        },
    ],
)
def count_down(
    message: Any = "timer finished",
    seconds: float | str = 0,
    minutes: float | str = 0,
    hours: float | str = 0,
    days: float | str = 0,
    repeat: int = 1,
) -> Iterator[tuple[str, Any]]:
    """Send a message after a while, once or several times.

    The built-in block `@wait` does it once. Neither holds a cell meanwhile.

    Args:
        message: What is sent.
        seconds: How long to wait: the sum of all four counts.
        minutes: Minutes to wait.
        hours: Hours to wait.
        days: Days to wait.
        repeat: How often to wait and send.
    """
    from selfmade import sleep

    wait = float(seconds) + 60 * float(minutes) + 3600 * float(hours) + 86400 * float(days)
    if not 0 <= wait <= 7 * 86400:
        raise ValueError(f"a timer waits at most 7 days, and not {wait:g} seconds")
    for _ in range(repeat):
        sleep(wait)
        yield "message", message
