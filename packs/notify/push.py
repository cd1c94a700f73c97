"""Push notifications, and issues that somebody should look at."""

import json
import re
from typing import Any

import selfmade


@selfmade.function(
    network=["ntfy.sh"],
    tests=[
        {
            "input": {"topic": "my-builds", "message": "Done", "priority": 4, "tags": ["tada"]},
            "mocks": [{"function": "post_message", "output": {"status": 200, "body": '{"id": "x1"}'}}],
            "expect": {"output": "x1"},
        },
        {
            "name": "a topic that is none",
            "input": {"topic": "a/b", "message": "Done"},
            "expect": {"error": {"type": "ValueError", "message": "a/b"}},
        },
        {
            "name": "a priority that is none",
            "input": {"topic": "a", "message": "Done", "priority": 9},
            "expect": {"error": {"type": "ValueError", "message": "from 1 to 5"}},
        },
    ],
)
def send_ntfy(
    topic: str,
    message: str,
    title: str = "",
    priority: int = 3,
    tags: list[str] | None = None,
    link: str = "",
) -> str:
    """Send a notification to phones and browsers by ntfy.sh and return its id.

    No account and no key is needed.

    Args:
        topic: The topic that is subscribed to. Whoever knows it can read along, so make it hard to guess.
        message: The message.
        title: What stands above it.
        priority: From 1, the least, to 5, the most.
        tags: Labels, or names of emoji such as `warning`.
        link: What is opened when it is touched.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", topic):
        raise ValueError(f"`{topic}` is no topic; use letters, digits, `_` and `-`")
    if not 1 <= priority <= 5:
        raise ValueError(f"priority must be from 1 to 5, but is {priority}")
    sent: dict[str, Any] = {"topic": topic, "message": message, "priority": priority}
    sent |= {name: value for name, value in (("title", title), ("tags", tags), ("click", link)) if value}
    return json.loads(post_message("https://ntfy.sh/", sent)["body"])["id"]


@selfmade.function(
    network=["api.pushover.net"],
    secrets=["pushover_token", "pushover_user"],
    tests=[
        {
            "input": {"message": "Done"},
            "mocks": [
                {
                    "function": "post_message",
                    "output": {"status": 200, "body": '{"status": 1, "request": "r1"}'},
                }
            ],
            "expect": {"output": "r1"},
        },
        {
            "name": "too long",
            "input": {"message": "Done", "priority": 2},
            "expect": {"error": {"type": "ValueError", "message": "from -2 to 1"}},
        },
    ],
)
def send_pushover(message: str, title: str = "", priority: int = 0, link: str = "") -> str:
    """Send a notification by Pushover and return its request's id.

    The secrets are `pushover_token`, of the application, and `pushover_user`, whose phone it is.

    Args:
        message: The message.
        title: What stands above it.
        priority: From -2, the least, to 1, the most.
        link: An address that goes with it.
    """
    from selfmade import secrets

    if not -2 <= priority <= 1:
        raise ValueError(f"priority must be from -2 to 1, but is {priority}")
    sent = {
        "token": secrets.pushover_token,
        "user": secrets.pushover_user,
        "message": message[:1024],
        "priority": priority,
    }
    sent |= {name: value for name, value in (("title", title), ("url", link)) if value}
    return json.loads(post_message("https://api.pushover.net/1/messages.json", sent)["body"])["request"]


@selfmade.function(
    network=["api.github.com"],
    secrets=["github_token"],
    tests=[
        {
            "input": {"repository": "ada/engine", "title": "It stopped", "labels": ["bug"]},
            "mocks": [
                {
                    "function": "post_message",
                    "output": {
                        "status": 201,
                        "body": '{"html_url": "https://github.com/ada/engine/issues/1"}',
                    },
                }
            ],
            "expect": {"output": "https://github.com/ada/engine/issues/1"},
        },
        {
            "name": "a repository that is none",
            "input": {"repository": "engine", "title": "It stopped"},
            "expect": {"error": {"type": "ValueError", "message": "owner/name"}},
        },
    ],
)
def open_github_issue(repository: str, title: str, body: str = "", labels: list[str] | None = None) -> str:
    """Open an issue on GitHub and return its address.

    The secret `github_token` may write issues there.

    Args:
        repository: Where, as `owner/name`.
        title: The issue's title.
        body: What it says, in Markdown.
        labels: Labels to put on it.
    """
    from selfmade import secrets

    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise ValueError(f"`{repository}` is no repository; write owner/name")
    headers = {"Authorization": f"Bearer {secrets.github_token}", "Accept": "application/vnd.github+json"}
    issue = {"title": title, "body": body, "labels": labels or []}
    sent = post_message(f"https://api.github.com/repos/{repository}/issues", issue, headers=headers)
    return json.loads(sent["body"])["html_url"]
