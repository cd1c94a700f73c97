"""Blocks for Discord, Reddit, Medium and mail.

What asks a service again and again does so through a function of its own that has the grant. Each request is a step then, so
a run that waits holds no cell and asks nothing twice.
"""

import email.message
import email.utils
import http.client
import smtplib
import socket
import ssl
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any, Literal

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


@selfmade.function(
    network=["www.reddit.com", "oauth.reddit.com"],
    secrets=["reddit_client_id", "reddit_client_secret", "reddit_username", "reddit_password"],
    timeout=120,
    tests=[
        {
            "input": {"path": "r/python/new"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": {"access_token": "t"}}}],
            "expect": {"output": {"access_token": "t"}},
        },
        {
            "name": "a password that is none",
            "input": {"path": "r/python/new"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": {"error": "invalid_grant"}}}],
            "expect": {"error": {"type": "PermissionError", "message": "invalid_grant"}},
        },
    ],
)
def call_reddit(path: str, params: dict[str, Any] | None = None, form: dict[str, Any] | None = None) -> Any:
    """Ask Reddit's API as the user that the secrets name, and return its answer.

    Args:
        path: The resource, such as `r/python/new`.
        params: What to add to the address as a query.
        form: What to send, if anything.
    """
    from selfmade import secrets

    agent = {"User-Agent": f"selfmade:blocks:1 (by /u/{secrets.reddit_username})"}
    granted = {"grant_type": "password", "username": secrets.reddit_username, "password": secrets.reddit_password}
    login = [secrets.reddit_client_id, secrets.reddit_client_secret]
    url = "https://www.reddit.com/api/v1/access_token"
    told = checked_answer("Reddit", call_service(url, "POST", headers=agent, form=granted, login=login))
    if "access_token" not in told:
        raise PermissionError(f"Reddit did not let `reddit_username` in: {told.get('error')}")
    headers = {**agent, "Authorization": f"bearer {told['access_token']}"}
    method = "GET" if form is None else "POST"
    url = f"https://oauth.reddit.com/{path}"
    return checked_answer("Reddit", call_service(url, method, params=params, headers=headers, form=form))


@selfmade.function(
    tests=[
        {
            "input": {"subreddit": "r/rain", "last_minutes": 60},
            "mocks": [
                {"function": "now", "output": 10000},
                {
                    "function": "call_reddit",
                    "output": {
                        "data": {
                            "children": [
                                {"data": {"id": "b", "title": "B", "selftext": "wet", "created_utc": 9000}},
                                {"data": {"id": "a", "title": "A", "selftext": "", "created_utc": 1000}},
                            ]
                        }
                    },
                },
            ],
            "expect": {"pins": [["post", {"id": "b", "subreddit": "rain", "title": "B", "body": "wet"}]]},
        },
        {
            "name": "up to a post that is known",
            "input": {"subreddit": "rain", "last_post": "a"},
            "mocks": [
                {"function": "now", "output": 10000},
                {"function": "call_reddit", "output": {"data": {"children": [{"data": {"id": "a"}}]}}},
            ],
            "expect": {"pins": []},
        },
        {
            "name": "a name that is none",
            "input": {"subreddit": "../me"},
            "expect": {"error": {"type": "ValueError", "message": "`../me` is not a subreddit"}},
        },
    ],
)
def get_reddit_posts(
    subreddit: str, last_minutes: int | None = None, last_post: str | None = None, post_limit: int | None = 10
) -> Iterator[tuple[str, Any]]:
    """Send the newest posts of a subreddit, the newest first.

    Args:
        subreddit: The subreddit.
        last_minutes: Only posts of the last so many minutes.
        last_post: Only posts newer than the one of this id.
        post_limit: The most posts, up to 100.
    """
    from selfmade import now

    name = subreddit.removeprefix("/").removeprefix("r/").strip("/")
    if not name.replace("_", "").isalnum():
        raise ValueError(f"`{subreddit}` is not a subreddit")
    since = now() - 60 * last_minutes if last_minutes is not None else 0
    found = call_reddit(f"r/{name}/new", {"limit": min(post_limit or 100, 100), "raw_json": 1})
    for child in found["data"]["children"]:
        data = child["data"]
        if data["id"] == last_post or data["created_utc"] < since:
            return
        post: dict[str, str] = {
            "id": data["id"],
            "subreddit": name,
            "title": data["title"],
            "body": data["selftext"],
        }
        yield "post", post


@selfmade.function(
    tests=[
        {
            "input": {"data": {"post_id": "abc", "comment": "Nice"}},
            "mocks": [
                {
                    "function": "call_reddit",
                    "output": {"json": {"errors": [], "data": {"things": [{"data": {"id": "c1"}}]}}},
                }
            ],
            "expect": {"pins": [["comment_id", "c1"]]},
        },
        {
            "name": "what Reddit refuses",
            "input": {"data": {"post_id": "abc", "comment": "Nice"}},
            "mocks": [
                {
                    "function": "call_reddit",
                    "output": {"json": {"errors": [["RATELIMIT", "you are doing that too much", "ratelimit"]]}},
                }
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "you are doing that too much"}},
        },
        {
            "name": "without a comment",
            "input": {"data": {"post_id": "abc"}},
            "expect": {"error": {"type": "ValueError", "message": "`post_id` and `comment`"}},
        },
    ],
)
def post_reddit_comment(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Comment on a post of Reddit.

    Args:
        data: An object with `post_id` and `comment`.
    """
    if not data.get("post_id") or not data.get("comment"):
        raise ValueError("`data` must have `post_id` and `comment`")
    thing = data["post_id"] if str(data["post_id"]).startswith("t3_") else f"t3_{data['post_id']}"
    form = {"thing_id": thing, "text": data["comment"], "api_type": "json"}
    told = call_reddit("api/comment", form=form)["json"]
    if told.get("errors"):
        raise RuntimeError(f"Reddit refused the comment: {'; '.join(error[1] for error in told['errors'])}")
    yield "comment_id", f"{told['data']['things'][0]['data']['id']}"


@selfmade.function(
    network=["api.medium.com"],
    secrets=["medium_api_key", "medium_author_id"],
    tests=[
        {
            "input": {
                "title": "Rain",
                "content": "# Rain",
                "content_format": "markdown",
                "tags": ["wet"],
                "publish_status": "draft",
            },
            "mocks": [
                {
                    "function": "call_service",
                    "output": {
                        "status": 201,
                        "body": {
                            "data": {"id": "p", "url": "https://medium.com/p", "authorId": "a", "publishedAt": 0}
                        },
                    },
                }
            ],
            "expect": {
                "pins": [
                    ["post_id", "p"],
                    ["post_url", "https://medium.com/p"],
                    ["author_id", "a"],
                    ["published_at", 0],
                ]
            },
        },
        {
            "name": "what Medium refuses",
            "input": {"title": "", "content": "", "content_format": "html", "tags": [], "publish_status": "public"},
            "mocks": [
                {"function": "call_service", "output": {"status": 400, "body": {"errors": [{"message": "no title"}]}}}
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "no title"}},
        },
    ],
)
def publish_to_medium(
    title: str,
    content: str,
    content_format: Literal["html", "markdown"],
    tags: list[str],
    publish_status: Literal["public", "draft", "unlisted"],
    canonical_url: str | None = None,
    license: str = "all-rights-reserved",
    notify_followers: bool = False,
) -> Iterator[tuple[str, Any]]:
    """Publish a post on Medium.

    Args:
        title: The title, for search engines; the content has its own.
        content: The post.
        content_format: How it is written.
        tags: Up to three tags.
        publish_status: Who sees it.
        canonical_url: Where it was published first.
        license: The licence, as Medium's API calls it.
        notify_followers: Whether followers are told.
    """
    from selfmade import secrets

    post = {
        "title": title,
        "content": content,
        "contentFormat": content_format,
        "tags": tags,
        "publishStatus": publish_status,
        "license": license,
        "notifyFollowers": notify_followers,
        **({"canonicalUrl": canonical_url} if canonical_url else {}),
    }
    author = urllib.parse.quote(secrets.medium_author_id, safe="")
    headers = {"Authorization": f"Bearer {secrets.medium_api_key}"}
    url = f"https://api.medium.com/v1/users/{author}/posts"
    made = checked_answer("Medium", call_service(url, "POST", headers=headers, data=post))["data"]
    yield "post_id", f"{made['id']}"
    yield "post_url", f"{made['url']}"
    yield "author_id", f"{made['authorId']}"
    published: int = made["publishedAt"]
    yield "published_at", published


@selfmade.function(
    network=[
        "smtp.gmail.com:465",
        "smtp.fastmail.com:465",
        "smtp.mail.yahoo.com:465",
        "smtp.zoho.com:465",
        "smtp.mailgun.org:465",
        "smtp.sendgrid.net:465",
        "mail.gmx.net:465",
    ],
    secrets=["smtp_user", "smtp_password"],
    timeout=60,
    tests=[
        {
            "name": "a line break would begin another header",
            "input": {"to_email": "a@example.com", "subject": "Hi\r\nBcc: b@example.com", "body": "x"},
            "expect": {"error": {"type": "ValueError", "message": "line break"}},
        },
        {
            "name": "an address that is none",
            "input": {"to_email": "everyone", "subject": "Hi", "body": "x"},
            "expect": {"error": {"type": "ValueError", "message": "`everyone` is not a mail address"}},
        },
    ],
)
def send_email(to_email: str, subject: str, body: str, server: str = "smtp.gmail.com:465") -> Iterator[tuple[str, str]]:
    """Send a mail by SMTP over TLS.

    Args:
        to_email: Whom it goes to.
        subject: The subject.
        body: The text.
        server: The server and its port, which must be among the hosts that this block is granted. TLS begins with the
            first byte: port 465, not 587.
    """
    from selfmade import now, secrets

    if "\n" in subject or "\r" in subject:
        raise ValueError("the subject has a line break")
    address = email.utils.parseaddr(to_email)[1]
    if address.count("@") != 1 or any(c.isspace() for c in to_email):
        raise ValueError(f"`{to_email}` is not a mail address")
    mail = email.message.EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = secrets.smtp_user, address, subject
    mail["Date"] = email.utils.formatdate(now())
    mail.set_content(body)
    host, _, port = server.partition(":")
    proxy = urllib.parse.urlsplit(urllib.request.getproxies().get("https", ""))
    try:
        if proxy.hostname:
            tunnel = http.client.HTTPConnection(proxy.hostname, proxy.port or 80, timeout=20)
            tunnel.set_tunnel(host, int(port or 465))
            tunnel.connect()
            raw = tunnel.sock
        else:
            raw = socket.create_connection((host, int(port or 465)), timeout=20)
        client = smtplib.SMTP(local_hostname="localhost", timeout=20)
        client.sock = ssl.create_default_context().wrap_socket(raw, server_hostname=host)
        code, said = client.getreply()
    except OSError as error:
        raise ConnectionError(f"cannot reach `{server}`: {error}") from None
    if code != 220:
        raise ConnectionError(f"`{server}` does not take mail: {code} {said.decode('utf-8', 'replace')}")
    with client:
        client.login(secrets.smtp_user, secrets.smtp_password)
        client.send_message(mail)
    yield "status", "Email sent successfully"


@selfmade.function(
    network=["api.d-id.com"],
    secrets=["did_api_key"],
    timeout=120,
    tests=[
        {
            "input": {"path": "clips/1"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": {"status": "done"}}}],
            "expect": {"output": {"status": "done"}},
        },
        {
            "name": "out of credits",
            "input": {"path": "clips", "data": {}},
            "mocks": [
                {"function": "call_service", "output": {"status": 402, "body": {"kind": "InsufficientCreditsError"}}}
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "InsufficientCreditsError"}},
        },
    ],
)
def call_d_id(path: str, data: dict[str, Any] | None = None) -> Any:
    """Ask D-ID's API, and return its answer.

    Args:
        path: The resource, such as `clips`.
        data: What to send, if anything.
    """
    from selfmade import secrets

    headers = {"Authorization": f"Basic {secrets.did_api_key}"}
    method = "GET" if data is None else "POST"
    return checked_answer("D-ID", call_service(f"https://api.d-id.com/{path}", method, headers=headers, data=data))


@selfmade.function(
    tests=[
        {
            "input": {"script_input": "Hello"},
            "mocks": [
                {
                    "function": "call_d_id",
                    "output": {"id": "clp_1", "status": "done", "result_url": "https://d-id.example/1.mp4"},
                }
            ],
            "expect": {"pins": [["video_url", "https://d-id.example/1.mp4"]]},
        },
        {
            "name": "a script that is refused",
            "input": {},
            "mocks": [
                {
                    "function": "call_d_id",
                    "output": {"id": "clp_1", "status": "rejected", "error": {"description": "not allowed"}},
                }
            ],
            "expect": {"error": {"type": "RuntimeError", "message": "not allowed"}},
        },
        {
            "name": "one that takes too long",
            "input": {"max_polling_attempts": 2, "polling_interval": 1},
            "mocks": [{"function": "call_d_id", "output": {"id": "clp_1", "status": "started"}}],
            "expect": {"error": {"type": "TimeoutError", "message": "`clp_1` is not done after 2 looks"}},
        },
    ],
)
def create_talking_avatar(
    script_input: str = "Welcome to AutoGPT",
    provider: Literal["microsoft", "elevenlabs", "amazon"] = "microsoft",
    voice_id: str = "en-US-JennyNeural",
    presenter_id: str = "amy-Aq6OmGZnMt",
    driver_id: str = "Vcq0R4a8F0",
    result_format: Literal["mp4", "gif", "wav"] = "mp4",
    crop_type: Literal["wide", "square", "vertical"] = "wide",
    subtitles: bool = False,
    ssml: bool = False,
    max_polling_attempts: int = 30,
    polling_interval: int = 10,
) -> Iterator[tuple[str, str]]:
    """Make a video of a presenter who says a text, by D-ID. It holds no cell while the video is made.

    Args:
        script_input: The text.
        provider: Who makes the voice.
        voice_id: The voice.
        presenter_id: The presenter.
        driver_id: How the presenter moves.
        result_format: The format of the file.
        crop_type: The shape of the picture.
        subtitles: Whether there are subtitles.
        ssml: Whether the text has marks for the voice.
        max_polling_attempts: How often to look whether it is done.
        polling_interval: How many seconds to wait before each look.
    """
    from selfmade import sleep

    clip = {
        "script": {
            "type": "text",
            "input": script_input,
            "subtitles": subtitles,
            "ssml": ssml,
            "provider": {"type": provider, "voice_id": voice_id},
        },
        "config": {"result_format": result_format},
        "presenter_config": {"crop": {"type": crop_type}},
        "presenter_id": presenter_id,
        "driver_id": driver_id,
    }
    clip_id = call_d_id("clips", clip)["id"]
    for _ in range(max_polling_attempts):
        sleep(polling_interval)
        found = call_d_id(f"clips/{clip_id}")
        if found["status"] == "done":
            yield "video_url", f"{found['result_url']}"
            return
        if found["status"] in ("error", "rejected"):
            raise RuntimeError(f"D-ID could not make the video: {found.get('error', found['status'])}")
    raise TimeoutError(f"the video `{clip_id}` is not done after {max_polling_attempts} looks")
