"""Blocks for Discord.

What asks a service again and again does so through a function of its own that has the grant. Each request is a step then, so
a run that waits holds no cell and asks nothing twice.
"""

from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    network=["discord.com"],
    secrets=["discord_bot_token"],
    timeout=120,
    tests=[
        {
            "input": {"path": "users/@me/guilds"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": []}}],
            "expect": {"output": []},
        },
        {
            "name": "what Discord refuses",
            "input": {"path": "channels/1/messages", "data": {"content": ""}},
            "mocks": [
                {"function": "call_service", "output": {"status": 400, "body": {"message": "Cannot send an empty message"}}}
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "Cannot send an empty message"}},
        },
        {
            "name": "a path that leads elsewhere",
            "input": {"path": "../../oauth2"},
            "expect": {"error": {"type": "ValueError", "message": "`../../oauth2`"}},
        },
    ],
)
def call_discord(path: str, params: dict[str, Any] | None = None, data: dict[str, Any] | None = None) -> Any:
    """Ask Discord's API as the bot, and return its answer.

    Args:
        path: The resource, such as `users/@me/guilds`.
        params: What to add to the address as a query.
        data: What to send, if anything.
    """
    from selfmade import secrets

    if ".." in path:
        raise ValueError(f"`{path}` is not a resource of Discord's API")
    headers = {"Authorization": f"Bot {secrets.discord_bot_token}", "User-Agent": "DiscordBot (selfmade, 1)"}
    method = "GET" if data is None else "POST"
    url = f"https://discord.com/api/v10/{path}"
    return checked_answer("Discord", call_service(url, method, params=params, headers=headers, data=data))


@selfmade.function(
    tests=[
        {
            "input": {"channel_name": "General"},
            "mocks": [
                {
                    "function": "call_discord",
                    "output": [{"id": "1", "name": "general", "type": 0}],
                }
            ],
            "expect": {"output": [{"id": "1", "name": "general", "type": 0}]},
        },
        {
            "name": "no such channel",
            "input": {"channel_name": "random", "server_name": "home"},
            "mocks": [{"function": "call_discord", "output": [{"id": "1", "name": "general", "type": 0}]}],
            "expect": {"output": []},
        },
    ],
)
def discord_channels(channel_name: str = "", server_name: str = "") -> list[dict[str, Any]]:
    """List the text channels that the bot sees.

    Args:
        channel_name: Only channels of this name, or the one of this id.
        server_name: Only channels of the server of this name.
    """
    found: list[dict[str, Any]] = []
    for server in call_discord("users/@me/guilds"):
        if server_name and server["name"].lower() != server_name.lower():
            continue
        channels = call_discord(f"guilds/{server['id']}/channels")
        found += [channel for channel in channels if channel["type"] in (0, 5)]
    wanted = channel_name.lstrip("#").lower()
    return [one for one in found if not wanted or wanted in (one["name"].lower(), one["id"])]


@selfmade.function(
    tests=[
        {
            "name": "nobody says anything",
            "input": {"polling_rate": 3600, "give_up_after": 3600},
            "mocks": [{"function": "discord_channels", "output": [{"id": "1", "name": "a", "last_message_id": "5"}]}],
            "expect": {"error": {"type": "TimeoutError", "message": "no message in 3600 seconds"}},
        },
        {
            "name": "a channel that the bot does not see",
            "input": {"channel_name": "random"},
            "mocks": [{"function": "discord_channels", "output": []}],
            "expect": {"error": {"type": "LookupError", "message": "sees no channel `random`"}},
        },
    ],
)
def read_discord_messages(
    trigger: Any = None, channel_name: str = "", polling_rate: int = 10, give_up_after: int = 86400
) -> Iterator[tuple[str, str]]:
    """Wait for the next message that a person writes where the bot can read it.

    It sleeps between two looks, and holds no cell meanwhile. In a graph, link something back to `trigger` to wait for the
    message after that.

    Args:
        trigger: Any value; one message is waited for for each.
        channel_name: The channel; all of them unless given.
        polling_rate: How many seconds to wait between two looks.
        give_up_after: After how many seconds without a message to fail.
    """
    from selfmade import sleep

    def newest() -> dict[str, dict[str, Any]]:
        return {channel["id"]: channel for channel in discord_channels(channel_name)}

    known = newest()
    if not known:
        raise LookupError(f"the bot sees no channel `{channel_name}`" if channel_name else "the bot sees no channel")
    for _ in range(-(-give_up_after // polling_rate)):
        sleep(polling_rate)
        for channel_id, channel in newest().items():
            before = known.get(channel_id, {}).get("last_message_id") or "0"
            if (channel.get("last_message_id") or "0") == before:
                continue
            known[channel_id] = channel
            # The newest comes first.
            messages = call_discord(f"channels/{channel_id}/messages", {"after": before, "limit": 50})
            written = [one for one in reversed(messages) if not one["author"].get("bot")]
            if written:
                message = written[0]
                yield "message_content", f"{message['content']}"
                yield "message_id", f"{message['id']}"
                yield "channel_id", f"{channel_id}"
                yield "channel_name", f"{channel['name']}"
                yield "user_id", f"{message['author']['id']}"
                yield "username", f"{message['author']['username']}"
                return
    raise TimeoutError(f"no message in {give_up_after} seconds")


@selfmade.function(
    tests=[
        {
            "input": {"message_content": "Hi", "channel_name": "general"},
            "mocks": [
                {"function": "discord_channels", "output": [{"id": "1", "name": "general"}]},
                {"function": "call_discord", "output": {"id": "7"}},
            ],
            "expect": {"pins": [["status", "Message sent"], ["message_id", "7"], ["channel_id", "1"]]},
        },
        {
            "name": "no such channel",
            "input": {"message_content": "Hi", "channel_name": "random"},
            "mocks": [{"function": "discord_channels", "output": []}],
            "expect": {"error": {"type": "LookupError", "message": "sees no channel `random`"}},
        },
        {
            "name": "nothing to say",
            "input": {"message_content": " ", "channel_name": "general"},
            "expect": {"error": {"type": "ValueError", "message": "empty"}},
        },
    ],
)
def send_discord_message(
    message_content: str, channel_name: str, server_name: str = ""
) -> Iterator[tuple[str, str]]:
    """Write a message into a channel of Discord, in pieces of 2000 characters.

    Args:
        message_content: The message. It mentions nobody, whatever it says.
        channel_name: The channel, by name or id.
        server_name: The server, if several have a channel of that name.
    """
    if not message_content.strip():
        raise ValueError("the message is empty")
    channels = discord_channels(channel_name, server_name)
    if not channels:
        raise LookupError(f"the bot sees no channel `{channel_name}`")
    channel_id = channels[0]["id"]
    sent: dict[str, Any] = {}
    for start in range(0, len(message_content), 2000):
        data = {"content": message_content[start : start + 2000], "allowed_mentions": {"parse": []}}
        sent = call_discord(f"channels/{channel_id}/messages", data=data)
    yield "status", "Message sent"
    yield "message_id", f"{sent['id']}"
    yield "channel_id", f"{channel_id}"


@selfmade.function(
    network=["discord.com"],
    tests=[
        {
            "input": {"webhook_url": "https://discord.com/api/webhooks/1/a", "message": "Hi"},
            "mocks": [{"function": "call_service", "output": {"status": 204, "body": ""}}],
            "expect": {"pins": [["status", "sent"]]},
        },
        {
            "name": "another host",
            "input": {"webhook_url": "https://example.com/api/webhooks/1/a", "message": "Hi"},
            "expect": {"error": {"type": "ValueError", "message": "is not a webhook of Discord"}},
        },
    ],
)
def post_discord_webhook(webhook_url: str, message: str) -> Iterator[tuple[str, str]]:
    """Send a message to a webhook of Discord.

    Args:
        webhook_url: The address of the webhook.
        message: The message. It mentions nobody, whatever it says.
    """
    if not webhook_url.startswith("https://discord.com/api/webhooks/"):
        raise ValueError(f"`{webhook_url[:30]}` is not a webhook of Discord")
    data = {"content": message, "allowed_mentions": {"parse": []}}
    checked_answer("Discord", call_service(webhook_url, "POST", data=data))
    yield "status", "sent"
