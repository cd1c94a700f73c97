"""Ask people, and tell triggers."""

from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"question": "Go on?"},
            "mocks": [{"function": "ask", "output": "Yes"}],
            "expect": {"output": True},
        },
        {
            "input": {"question": "Go on?"},
            "mocks": [{"function": "ask", "output": "no"}],
            "expect": {"output": False},
        },
    ],
)
def confirm(question: str) -> bool:
    """Ask a person whether to go on, and wait for the answer however long it takes.

    Args:
        question: What to ask. `selfmade runs answer ID yes` answers it.
    """
    from selfmade import ask

    answer = ask(question, options=["yes", "no"])
    return answer is True or str(answer).strip().lower() in ("yes", "y", "true", "1", "ok")


@selfmade.function(
    tests=[
        {"input": {"event": "report.ready", "data": {"rows": 3}}, "expect": {"output": "report.ready"}},
        {"name": "without data", "input": {"event": "tick"}, "expect": {"output": "tick"}},
    ],
)
def announce(event: str, data: Any = None) -> str:
    """Emit an event of your own, on which triggers may run other functions.

    Args:
        event: The event's name, such as `report.ready`.
        data: What it carries.
    """
    from selfmade import emit

    emit(event, data)
    return event
