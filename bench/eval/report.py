"""Numbers of a sequence of results, and the table that compares them."""

import json
import random


def behaviours(brain, requests):
    """How many stored functions do the same as another, on the inputs of some task."""
    groups = {}
    for name, stored in brain.functions.items():
        if name.startswith("good_"):
            continue
        seen = []
        for request in requests[:40]:
            task = request.task
            if len(task.parameters) != len(stored.input["properties"]):
                continue
            for given in task.inputs[:3]:
                seen.append(outcome_of(brain, name, given))
        if sum(not one.startswith("!") for one in seen) >= 3:
            groups.setdefault(json.dumps(seen), []).append(name)
    return sum(len(names) - 1 for names in groups.values())


def outcome_of(brain, name, given):
    names = list(brain.functions[name].input["properties"])
    try:
        return json.dumps(brain.execute(name, dict(zip(names, given))))
    except Exception as error:
        return f"!{type(error).__name__}"


def share(part, whole):
    return None if not whole else round(part / whole, 4)


def interval(values, seed=1, rounds=1000):
    """The middle 95 % of the mean, by drawing again."""
    if not values:
        return None
    chance = random.Random(seed)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(rounds))
    return [round(means[int(rounds * 0.025)], 3), round(means[int(rounds * 0.975) - 1], 3)]


def measure(lines):
    """The metrics of one agent, over everything and by stream."""
    streams = list(dict.fromkeys(line["stream"] for line in lines))
    whole = {"all": numbers(lines)}
    return whole | {stream: numbers([line for line in lines if line["stream"] == stream]) for stream in streams}


def numbers(lines):
    solved = [line for line in lines if line["solved"]]
    written = [line for line in lines if line["outcome"] == "applied"]
    reused = [line for line in lines if line["outcome"] == "reused"]
    should = [line for line in lines if line["right"] == "reuse" and line["could_reuse"]]
    must_not = [line for line in lines if line["stream"] in ("near", "broken")]
    had_right = [line for line in lines if line["right_written"] and line["outcome"] not in ("reused",)]
    return {
        "requests": len(lines),
        "solve_rate": share(len(solved), len(lines)),
        "solve_rate_95": interval([float(line["solved"]) for line in lines]),
        "wrong_among_admitted": share(sum(not line["solved"] for line in written), len(written)),
        "wrong_among_answers": share(sum(not line["solved"] for line in written + reused), len(written + reused)),
        "right_ones_lost": share(sum(line["outcome"] != "applied" for line in had_right), len(had_right)),
        "reuse_rate": share(sum(line["outcome"] == "reused" for line in should), len(should)),
        "false_reuse": share(sum(line["outcome"] == "reused" and not line["solved"] for line in must_not), len(must_not)),
        "calls_per_success": share(sum(line["calls"] for line in lines), len(solved)),
        "tokens": sum(line["tokens"] for line in lines),
        "tokens_per_success": share(sum(line["tokens"] for line in lines), len(solved)),
        "engine_seconds_mean": share(sum(line["engine"] for line in lines), len(lines)),
        "engine_seconds_most": max((round(line["engine"], 3) for line in lines), default=None),
    }


def over_time(lines, window=50):
    """Tokens for each success, window by window: it falls if the library is useful."""
    found = []
    for start in range(0, len(lines), window):
        part = lines[start : start + window]
        found.append(share(sum(line["tokens"] for line in part), sum(line["solved"] for line in part)))
    return found


COLUMNS = {
    "requests": "requests", "solve_rate": "solved", "wrong_among_admitted": "wrong among admitted", "right_ones_lost": "right ones lost",
    "reuse_rate": "reuse", "false_reuse": "false reuse", "tokens_per_success": "tokens / success", "calls_per_success": "calls / success",
}  # fmt: skip


def table(measured):
    """Agents and streams as Markdown."""
    lines = ["| agent | stream | " + " | ".join(COLUMNS.values()) + " |", "|---|---|" + "---:|" * len(COLUMNS)]
    for title, streams in measured.items():
        for stream, found in streams.items():
            cells = []
            for name in COLUMNS:
                value = found[name]
                if value is None:
                    cells.append("")
                elif name in ("requests", "tokens_per_success"):
                    cells.append(f"{value:.0f}")
                elif name == "calls_per_success":
                    cells.append(f"{value:.1f}")
                else:
                    cells.append(f"{100 * value:.1f} %")
            lines.append(f"| {title} | {stream} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
