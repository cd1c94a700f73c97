"""Chat. Each service has a function of its own that reaches this service alone and is handed its own secret."""

import json
from typing import Any

import selfmade


@selfmade.function(
    network=["hooks.slack.com"],
    secrets=["slack_webhook_url"],
    tests=[
        {
            "input": {"text": "**Done**"},
            "mocks": [{"function": "post_message", "output": {"status": 200, "body": "ok"}}],
            "expect": {"output": "ok"},
        },
        {
            "name": "there is something to say",
            "input": {"text": " "},
            "expect": {"error": {"type": "ValueError", "message": "empty"}},
        },
    ],
)
def send_slack(text: str) -> str:
    """Send a message to Slack.

    The secret `slack_webhook_url` is the address of an incoming webhook.

    Args:
        text: The message, in Markdown.
    """
    from selfmade import secrets

    if not text.strip():
        raise ValueError("the message is empty")
    return post_message(secrets.slack_webhook_url, {"text": slack_markup(text)})["body"]


@selfmade.function(
    network=["discord.com"],
    secrets=["discord_webhook_url"],
    tests=[
        {
            "input": {"text": "Done"},
            "mocks": [{"function": "post_message", "output": {"status": 204, "body": ""}}],
            "expect": {"output": 1},
        },
        {
            "name": "a long message is several",
            "input": {"text": "Done"},
            "mocks": [
                {"function": "split_message", "output": ["Do", "ne"]},
                {"function": "post_message", "output": {"status": 204, "body": ""}},
            ],
            "expect": {"output": 2},
        },
    ],
)
def send_discord(text: str, name: str = "") -> int:
    """Send a message to Discord and return in how many parts.

    The secret `discord_webhook_url` is the address of a channel's webhook.

    Args:
        text: The message, in Markdown. Nobody is pinged by what stands in it.
        name: Who it is from, in place of the webhook's own name.
    """
    from selfmade import secrets

    parts = split_message(text, 2000)
    for part in parts:
        message: dict[str, Any] = {"content": part, "allowed_mentions": {"parse": []}}
        if name:
            message["username"] = name
        post_message(secrets.discord_webhook_url, message)
    return len(parts)


@selfmade.function(
    network=["*.webhook.office.com", "*.logic.azure.com", "*.api.powerplatform.com"],
    secrets=["teams_webhook_url"],
    tests=[
        {
            "input": {"text": "Done", "title": "Nightly"},
            "mocks": [{"function": "post_message", "output": {"status": 202, "body": ""}}],
            "expect": {"output": 202},
        },
        {
            "name": "there is something to say",
            "input": {"text": ""},
            "expect": {"error": {"type": "ValueError", "message": "empty"}},
        },
    ],
)
def send_teams(text: str, title: str = "") -> int:
    """Send a message to Microsoft Teams.

    The secret `teams_webhook_url` is the address of a workflow that posts to a channel.

    Args:
        text: The message, in Markdown.
        title: What stands above it.
    """
    from selfmade import secrets

    if not text.strip():
        raise ValueError("the message is empty")
    lines = [{"type": "TextBlock", "text": title, "weight": "bolder", "size": "medium"}] if title else []
    lines.append({"type": "TextBlock", "text": text, "wrap": True})
    card = {"type": "AdaptiveCard", "version": "1.4", "body": lines}
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return post_message(secrets.teams_webhook_url, {"type": "message", "attachments": [content]})["status"]


@selfmade.function(
    network=["api.telegram.org"],
    secrets=["telegram_bot_token"],
    tests=[
        {
            "input": {"chat": "42", "text": "Done"},
            "mocks": [
                {
                    "function": "post_message",
                    "output": {"status": 200, "body": '{"result": {"message_id": 7}}'},
                }
            ],
            "expect": {"output": [7]},
        },
        {
            "name": "nothing to say, nothing sent",
            "input": {"chat": "@room", "text": ""},
            "expect": {"output": []},
        },
    ],
)
def send_telegram(chat: str, text: str, silent: bool = False) -> list[int]:
    """Send a message with a Telegram bot and return the ids of its parts.

    The secret `telegram_bot_token` is the bot's.

    Args:
        chat: The chat's number, or `@name` of a channel.
        text: The message, as plain text.
        silent: Whether it makes no sound.
    """
    from selfmade import secrets

    url = f"https://api.telegram.org/bot{secrets.telegram_bot_token}/sendMessage"
    ids = []
    for part in split_message(text, 4096):
        sent = post_message(url, {"chat_id": chat, "text": part, "disable_notification": silent})
        ids.append(json.loads(sent["body"])["result"]["message_id"])
    return ids
