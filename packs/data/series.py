"""Numbers and dates in a row."""

import datetime
import itertools
import math
import statistics
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"values": [2, 4, 4, 4, 5, 5, 7, 9]},
            "expect": {
                "output": {
                    "count": 8,
                    "sum": 40,
                    "mean": 5,
                    "median": 4.5,
                    "deviation": 2.1381,
                    "least": 2,
                    "most": 9,
                    "quartiles": [4, 4.5, 5.5],
                }
            },
        },
        {
            "name": "one value does not deviate",
            "input": {"values": [3]},
            "expect": {
                "output": {
                    "count": 1,
                    "sum": 3,
                    "mean": 3,
                    "median": 3,
                    "deviation": 0,
                    "least": 3,
                    "most": 3,
                    "quartiles": [3, 3, 3],
                }
            },
        },
        {
            "name": "of nothing there is no mean",
            "input": {"values": []},
            "expect": {"error": {"type": "ValueError", "message": "at least one"}},
        },
    ],
)
def summarise_numbers(values: list[float]) -> dict[str, Any]:
    """Sum up numbers: count, sum, mean, median, deviation, least, most, quartiles.

    Args:
        values: The numbers. The deviation is that of a sample.
    """
    if not values:
        raise ValueError("give at least one number")
    several = len(values) > 1
    deviation = statistics.stdev(values) if several else 0.0
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if several else list(values) * 3
    return {
        "count": len(values),
        "sum": round(math.fsum(values), 10),
        "mean": round(statistics.fmean(values), 4),
        "median": statistics.median(values),
        "deviation": round(deviation, 4),
        "least": min(values),
        "most": max(values),
        "quartiles": [round(quartile, 4) for quartile in quartiles],
    }


@selfmade.function(
    tests=[
        {"input": {"values": [1, 2, 3, 4], "window": 2}, "expect": {"output": [None, 1.5, 2.5, 3.5]}},
        {
            "name": "a window wider than all",
            "input": {"values": [1, 2], "window": 3},
            "expect": {"output": [None, None]},
        },
        {
            "name": "no window",
            "input": {"values": [1], "window": 0},
            "expect": {"error": {"type": "ValueError", "message": "at least 1"}},
        },
    ],
)
def moving_average(values: list[float], window: int) -> list[float | None]:
    """Smooth a series: each value becomes the mean of itself and those before it.

    Args:
        values: The series.
        window: How many values make one mean. Where there are too few before it, there is none.
    """
    if window < 1:
        raise ValueError(f"window must be at least 1, but is {window}")
    means = [round(statistics.fmean(values[at - window : at]), 10) for at in range(window, len(values) + 1)]
    return [*itertools.repeat(None, min(window - 1, len(values))), *means]


@selfmade.function(
    tests=[
        {"input": {"text": "31.01.2026"}, "expect": {"output": "2026-01-31"}},
        {"input": {"text": "Jan 5, 2026 14:30"}, "expect": {"output": "2026-01-05T14:30:00"}},
        {
            "name": "with an offset",
            "input": {"text": "Mon, 05 Jan 2026 14:30:00 +0100"},
            "expect": {"output": "2026-01-05T14:30:00+01:00"},
        },
        {
            "name": "what is none",
            "input": {"text": "soon"},
            "expect": {"error": {"type": "ValueError", "message": "`soon` is no date"}},
        },
    ],
)
def parse_date(text: str, day_first: bool = True) -> str:
    """Read a date, with or without a time, in one of the common spellings, and write it as ISO 8601.

    Args:
        text: The date: `2026-01-31`, `31.1.2026`, `Jan 31, 2026 14:30`, `Sat, 31 Jan 2026 14:30:00 +0100` …
        day_first: Whether `01/02/2026` is the first of February.
    """
    text = " ".join(text.split())
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        return moment.date().isoformat() if len(text) == 10 else moment.isoformat()
    except ValueError:
        pass
    slashes = ["%d/%m/%Y", "%m/%d/%Y"] if day_first else ["%m/%d/%Y", "%d/%m/%Y"]
    days = [*slashes, "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y%m%d"]
    days += [
        "%d %b %Y",
        "%d %B %Y",
        "%b %d, %Y",
        "%B %d, %Y",
        "%b %d %Y",
        "%B %d %Y",
        "%a, %d %b %Y",
        "%A, %d %B %Y",
    ]
    for day in days:
        for time in ("", " %H:%M", " %H:%M:%S", " %I:%M %p"):
            for offset in ("", " %z") if time else ("",):
                try:
                    moment = datetime.datetime.strptime(text, day + time + offset)
                except ValueError:
                    continue
                return moment.isoformat() if time else moment.date().isoformat()
    raise ValueError(f"`{text}` is no date in a spelling that is known here; write it as 2026-01-31")


@selfmade.function(
    tests=[
        {
            "input": {"start": "2026-01-30", "end": "2026-02-01"},
            "expect": {"output": ["2026-01-30", "2026-01-31", "2026-02-01"]},
        },
        {
            "name": "by months, which have not the same length",
            "input": {"start": "2026-01-31", "end": "2026-04-30", "step": "month"},
            "expect": {"output": ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]},
        },
        {
            "name": "working days alone",
            "input": {"start": "2026-01-02", "end": "2026-01-05", "step": "workday"},
            "expect": {"output": ["2026-01-02", "2026-01-05"]},
        },
        {
            "name": "too many",
            "input": {"start": "0001-01-01", "end": "9999-12-31"},
            "expect": {"error": {"type": "ValueError", "message": "more than 10000"}},
        },
    ],
)
def date_range(start: str, end: str, step: str = "day") -> list[str]:
    """List the dates from one to another, both included, at most 10,000.

    Args:
        start: The first date, as 2026-01-31.
        end: The last date.
        step: "day", "workday", "week", "month" or "year". The 31st is the last day in shorter months.
    """
    first, last = datetime.date.fromisoformat(start), datetime.date.fromisoformat(end)

    def months_on(months: int) -> datetime.date:
        year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
        following = datetime.date(year + (month == 11), (month + 1) % 12 + 1, 1)
        return datetime.date(year, month + 1, min(first.day, (following - datetime.timedelta(days=1)).day))

    ways = {
        "day": lambda n: first + datetime.timedelta(days=n),
        "workday": lambda n: first + datetime.timedelta(days=n),
        "week": lambda n: first + datetime.timedelta(weeks=n),
        "month": months_on,
        "year": lambda n: months_on(12 * n),
    }
    if step not in ways:
        raise ValueError(f"`{step}` is no step; use {', '.join(ways)}")
    dates: list[str] = []
    for n in itertools.count():
        date = ways[step](n)
        if date > last:
            return dates
        if step != "workday" or date.weekday() < 5:
            dates.append(date.isoformat())
        if len(dates) > 10_000:
            raise ValueError(f"from {start} to {end} there are more than 10000 dates")
