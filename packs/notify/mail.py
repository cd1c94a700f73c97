"""Mail, by a provider's HTTP API or by SMTP.

A cell's only way out carries HTTP and TLS and nothing else, so SMTP goes over TLS from the first byte (port 465).
"""

import email.message
import email.policy
import email.utils
import hashlib
import http.client
import json
import re
import smtplib
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"addresses": ["Ada L <ada@example.com>", "bob@mail.example.org"]},
            "expect": {"output": ["ada@example.com", "bob@mail.example.org"]},
        },
        {
            "name": "what could add headers to a mail is refused",
            "input": {"addresses": ["ada@example.com\nBcc: x@example.com"]},
            "expect": {"error": {"type": "ValueError", "message": "is no mail address"}},
        },
        {"name": "none", "input": {"addresses": []}, "expect": {"output": []}},
    ],
)
def check_addresses(addresses: list[str]) -> list[str]:
    """Check mail addresses and return them without names.

    Args:
        addresses: Each as `address` or `Name <address>`.
    """
    plain = []
    for given in addresses:
        address = email.utils.parseaddr(given)[1]
        if re.search(r"[\r\n]", given) or not re.fullmatch(r"[^@\s<>]+@[\w.-]+\.\w{2,}", address):
            raise ValueError(
                f"`{given}` is no mail address; write `ada@example.com` or `Ada <ada@example.com>`"
            )
        plain.append(address)
    return plain


@selfmade.function(
    tests=[
        {
            "input": {
                "sender": "a@example.com",
                "to": ["b@example.com"],
                "subject": "Grüße",
                "text": "Hi",
                "date": 0,
            },
            "expect": {
                "schema": {
                    "type": "string",
                    "pattern": "^From: a@example.com\r\nTo: b@example.com\r\nSubject: =\\?utf-8\\?q\\?Gr=C3=BC=C3=9Fe\\?=\r\nDate: Thu, 01 Jan 1970 00:00:00 -0000\r\n",
                }
            },
        },
        {
            "name": "as text and as HTML",
            "input": {
                "sender": "a@example.com",
                "to": ["b@example.com"],
                "subject": "S",
                "text": "Hi",
                "html": "<p>Hi</p>",
                "date": 0,
            },
            "expect": {"schema": {"type": "string", "pattern": "multipart/alternative"}},
        },
    ],
)
def compose_mail(
    sender: str, to: list[str], subject: str, text: str, date: float, html: str = "", reply_to: str = ""
) -> str:
    """Write a mail as it goes over the wire, headers and all.

    Args:
        sender: Who it is from.
        to: Whom it goes to.
        subject: Its subject.
        text: What it says, as plain text.
        date: When it was written, in seconds since 1970.
        html: The same as HTML.
        reply_to: Where answers go.
    """
    check_addresses([sender, *to])
    mail = email.message.EmailMessage(policy=email.policy.SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, ", ".join(to), subject
    mail["Date"] = email.utils.formatdate(date)
    if reply_to:
        mail["Reply-To"] = reply_to
    # The same mail has the same id, so one that was sent twice is shown once.
    known = hashlib.sha256(json.dumps([sender, to, subject, text, date]).encode()).hexdigest()[:32]
    mail["Message-ID"] = f"<{known}@{check_addresses([sender])[0].partition('@')[2]}>"
    mail.set_content(text)
    if html:
        mail.add_alternative(html, subtype="html")
    return mail.as_string()


@selfmade.function(
    network=["api.resend.com"],
    secrets=["resend_api_key"],
    tests=[
        {
            "input": {
                "sender": "Bot <bot@example.com>",
                "to": ["ada@example.com"],
                "subject": "Hi",
                "text": "Hello",
            },
            "mocks": [{"function": "post_message", "output": {"status": 200, "body": '{"id": "m1"}'}}],
            "expect": {"output": "m1"},
        },
        {
            "name": "an address that is none",
            "input": {"sender": "bot@example.com", "to": ["ada"], "subject": "Hi", "text": "Hello"},
            "expect": {"error": {"type": "ValueError", "message": "`ada`"}},
        },
    ],
)
def send_mail_resend(
    sender: str, to: list[str], subject: str, text: str, html: str = "", reply_to: str = ""
) -> str:
    """Send a mail by Resend and return its id.

    The secret `resend_api_key` is the key.

    Args:
        sender: Who it is from, `address` or `Name <address>`, of a domain that Resend knows as yours.
        to: Whom it goes to.
        subject: Its subject.
        text: What it says, as plain text.
        html: The same as HTML.
        reply_to: Where answers go.
    """
    from selfmade import secrets

    check_addresses([sender, *to])
    sent: dict[str, Any] = {"from": sender, "to": to, "subject": subject, "text": text}
    sent |= {name: value for name, value in (("html", html), ("reply_to", reply_to)) if value}
    headers = {"Authorization": f"Bearer {secrets.resend_api_key}"}
    return json.loads(post_message("https://api.resend.com/emails", sent, headers=headers)["body"])["id"]


@selfmade.function(
    network=["api.postmarkapp.com"],
    secrets=["postmark_server_token"],
    tests=[
        {
            "input": {
                "sender": "bot@example.com",
                "to": ["ada@example.com"],
                "subject": "Hi",
                "text": "Hello",
            },
            "mocks": [{"function": "post_message", "output": {"status": 200, "body": '{"MessageID": "m1"}'}}],
            "expect": {"output": "m1"},
        },
        {
            "name": "nobody to send it to",
            "input": {"sender": "bot@example.com", "to": [], "subject": "Hi", "text": "Hello"},
            "expect": {"error": {"type": "ValueError", "message": "at least one"}},
        },
    ],
)
def send_mail_postmark(
    sender: str, to: list[str], subject: str, text: str, html: str = "", reply_to: str = ""
) -> str:
    """Send a mail by Postmark and return its id.

    The secret `postmark_server_token` is the token of a server there.

    Args:
        sender: Who it is from, `address` or `Name <address>`, one that Postmark knows as yours.
        to: Whom it goes to.
        subject: Its subject.
        text: What it says, as plain text.
        html: The same as HTML.
        reply_to: Where answers go.
    """
    from selfmade import secrets

    if not to:
        raise ValueError("a mail goes to at least one address")
    check_addresses([sender, *to])
    sent = {"From": sender, "To": ", ".join(to), "Subject": subject, "TextBody": text}
    sent |= {name: value for name, value in (("HtmlBody", html), ("ReplyTo", reply_to)) if value}
    headers = {"X-Postmark-Server-Token": secrets.postmark_server_token, "Accept": "application/json"}
    return json.loads(post_message("https://api.postmarkapp.com/email", sent, headers=headers)["body"])[
        "MessageID"
    ]


@selfmade.function(
    timeout=60,
    tests=[
        {
            "name": "without a network nothing is reached",
            "input": {
                "host": "127.0.0.1:9",
                "user": "u",
                "password": "p",
                "sender": "a@example.com",
                "to": ["b@example.com"],
                "mail": "x",
            },
            "expect": {"error": {"type": "ConnectionError", "message": "cannot reach `127.0.0.1:9`"}},
        },
        {
            "name": "an address that is none",
            "input": {
                "host": "h",
                "user": "u",
                "password": "p",
                "sender": "a",
                "to": ["b@example.com"],
                "mail": "x",
            },
            "expect": {"error": {"type": "ValueError", "message": "`a`"}},
        },
    ],
)
def deliver_smtp(host: str, user: str, password: str, sender: str, to: list[str], mail: str) -> int:
    """Hand a mail to an SMTP server over TLS and return how many it takes it for.

    Args:
        host: The server, with its port unless that is 465. `host:465` must be in the `network` grant of the
            function that calls this one. TLS must begin with the first byte: STARTTLS on port 587 does not
            get through.
        user: Whom to log in as.
        password: The password; many providers want one that was made for this use.
        sender: Who the mail is from.
        to: Whom it goes to.
        mail: The mail, as `compose_mail` writes it.
    """
    plain = check_addresses([sender, *to])
    name, _, port = host.partition(":")
    proxy = urllib.parse.urlsplit(urllib.request.getproxies().get("https", ""))
    try:
        if proxy.hostname:
            tunnel = http.client.HTTPConnection(proxy.hostname, proxy.port or 80, timeout=20)
            tunnel.set_tunnel(name, int(port or 465))
            tunnel.connect()
            raw = tunnel.sock
        else:
            raw = socket.create_connection((name, int(port or 465)), timeout=20)
        server = smtplib.SMTP(local_hostname="localhost", timeout=20)
        server.sock = ssl.create_default_context().wrap_socket(raw, server_hostname=name)
        code, said = server.getreply()
    except OSError as error:
        reason = str(error).removeprefix("Tunnel connection failed: ")
        if "egress (" in reason:
            raise PermissionError(reason) from None
        raise ConnectionError(f"cannot reach `{host}`: {reason}") from None
    if code != 220:
        raise ConnectionError(f"`{host}` does not take mail: {code} {said.decode('utf-8', 'replace')}")
    with server:
        server.login(user, password)
        refused = server.sendmail(plain[0], plain[1:], mail.encode())
    return len(to) - len(refused)


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
            "input": {
                "host": "smtp.gmail.com",
                "to": ["ada@example.com"],
                "subject": "Hi",
                "text": "Hello",
                "sender": "bot@example.com",
            },
            "mocks": [{"function": "now", "output": 0}, {"function": "deliver_smtp", "output": 1}],
            "expect": {"output": 1},
        },
        {
            "name": "who logs in is who it is from, if that is an address",
            "input": {"host": "smtp.gmail.com", "to": ["ada@example.com"], "subject": "Hi", "text": "Hello"},
            "expect": {"error": {"type": "ValueError", "message": "`secret-smtp_user` is no mail address"}},
        },
    ],
)
def send_mail_smtp(
    host: str, to: list[str], subject: str, text: str, html: str = "", sender: str = ""
) -> int:
    """Send a mail by a provider's SMTP server and return for how many it was taken.

    The secrets `smtp_user` and `smtp_password` log in there.

    Args:
        host: The server, one of those in the grant of this function: `smtp.gmail.com`, `smtp.fastmail.com` …
            For another, write a function with its `host:465` in `network` that calls `deliver_smtp`.
        to: Whom it goes to.
        subject: Its subject.
        text: What it says, as plain text.
        html: The same as HTML.
        sender: Who it is from; who logs in, unless given.
    """
    from selfmade import now, secrets

    sender = sender or secrets.smtp_user
    mail = compose_mail(sender, to, subject, text, now(), html)
    return deliver_smtp(host, secrets.smtp_user, secrets.smtp_password, sender, to, mail)
