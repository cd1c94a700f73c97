"""Blocks for Medium, mail and talking avatars (D-ID).

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
