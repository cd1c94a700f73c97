"""Messages to any service, signed where both sides share a secret.

`post_message` and `send_webhook` are granted no host: they run in the cell of the function that calls them
and reach what that one lists in `network`.
"""

import hashlib
import hmac
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import selfmade


@selfmade.function(
    timeout=120,
    tests=[
        {
            "name": "only the web",
            "input": {"url": "ftp://example.com", "data": {}},
            "expect": {"error": {"type": "ValueError", "message": "must begin with http:// or https://"}},
        },
        {
            "name": "without a network nothing is reached, and the address, which may be a secret, is not told",
            "input": {"url": "http://127.0.0.1:9/hook/s3cret", "data": {}},
            "expect": {"error": {"type": "ConnectionError", "message": "cannot reach `127.0.0.1`: "}},
        },
    ],
)
def post_message(
    url: str,
    data: Any = None,
    body: str | bytes | None = None,
    headers: dict[str, str] | None = None,
    seconds: float = 20.0,
) -> dict[str, Any]:
    """Post a message to a service and return its status and answer; what is no success is raised.

    Nothing is sent twice: only a server that says it took nothing because there were too many (429) is asked
    again, up to twice, after as long as it says.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        data: A value to send as JSON.
        body: A text or bytes to send as they are, in place of `data`.
        headers: Headers by name.
        seconds: How long to wait for an answer.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError("the address must begin with http:// or https://")
    host = urllib.parse.urlsplit(url).hostname or ""
    content = json.dumps(data) if body is None else body
    content = content.encode() if isinstance(content, str) else content
    sent = {"User-Agent": "selfmade", "Content-Type": "application/json", **(headers or {})}

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    def attempt() -> tuple[int, dict[str, str], str]:
        request = urllib.request.Request(url, data=content, headers=sent, method="POST")
        try:
            answer = urllib.request.build_opener(NoRedirects).open(request, timeout=seconds)
        except urllib.error.HTTPError as error:
            if error.reason.startswith("egress ("):
                raise PermissionError(error.reason) from None
            answer = error
        with answer:
            return (
                answer.status,
                dict(answer.headers.items()),
                answer.read(100_000).decode("utf-8", "replace"),
            )

    for tried in range(3):
        try:
            status, received, text = attempt()
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "reason", None) or error)
            if "egress (" in reason:
                raise PermissionError(reason.removeprefix("Tunnel connection failed: ")) from None
            raise ConnectionError(f"cannot reach `{host}`: {reason}") from None
        if status != 429 or tried == 2:
            break
        after = received.get("Retry-After", "")
        time.sleep(min(float(after), 30.0) if re.fullmatch(r"\d+(\.\d+)?", after) else 1.0)
    if not 200 <= status < 300:
        raise RuntimeError(f"`{host}` answered {status}: {text[:300]}")
    return {"status": status, "body": text}


@selfmade.function(
    tests=[
        {
            "input": {"body": "hello", "secret": "key"},
            "expect": {"output": "sha256=9307b3b915efb5171ff14d8cb55fbcc798c6c0ef1456d66ded1a6aa723a58b7b"},
        },
        {
            "name": "with the time, so that it cannot be sent again later",
            "input": {"body": "hello", "secret": "key", "timestamp": 1769860800},
            "expect": {"output": "sha256=d235c2014674c907ff6d67ea306b4d3eb95b0636c43e691a9e9cb861d8f3df52"},
        },
    ],
)
def sign_payload(body: str, secret: str, timestamp: int = 0) -> str:
    """Sign a text with a shared secret: HMAC with SHA-256, as GitHub and many others write it.

    Args:
        body: The text, exactly as it is sent.
        secret: The shared secret.
        timestamp: When it is sent, in seconds since 1970; if given, `timestamp.body` is what is signed.
    """
    signed = f"{timestamp}.{body}" if timestamp else body
    return "sha256=" + hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()


@selfmade.function(
    tests=[
        {
            "input": {
                "body": "hello",
                "signature": "sha256=9307b3b915efb5171ff14d8cb55fbcc798c6c0ef1456d66ded1a6aa723a58b7b",
                "secret": "key",
            },
            "expect": {"output": True},
        },
        {
            "name": "another text",
            "input": {
                "body": "hallo",
                "signature": "9307b3b915efb5171ff14d8cb55fbcc798c6c0ef1456d66ded1a6aa723a58b7b",
                "secret": "key",
            },
            "expect": {"output": False},
        },
        {
            "name": "too old",
            "input": {"body": "hello", "signature": "x", "secret": "key", "timestamp": 1000},
            "mocks": [{"function": "now", "output": 2000}, {"function": "sign_payload", "output": "x"}],
            "expect": {"output": False},
        },
    ],
)
def verify_signature(
    body: str, signature: str, secret: str, timestamp: int = 0, tolerance: int = 300
) -> bool:
    """Tell whether a text was signed with a shared secret, as `sign_payload`, GitHub and others do.

    Args:
        body: The text, exactly as it was received.
        signature: The signature, with or without `sha256=`.
        secret: The shared secret.
        timestamp: When it was sent, if that was signed too.
        tolerance: How many seconds it may have been under way.
    """
    from selfmade import now

    if timestamp and abs(now() - timestamp) > tolerance:
        return False
    right = sign_payload(body, secret, timestamp)
    return hmac.compare_digest(
        right.removeprefix("sha256=").encode(), signature.strip().removeprefix("sha256=").encode()
    )


@selfmade.function(
    timeout=120,
    tests=[
        {
            "input": {"url": "https://example.com/hook", "payload": {"a": 1}},
            "mocks": [{"function": "post_message", "output": {"status": 200, "body": "ok"}}],
            "expect": {"output": {"status": 200, "body": "ok"}},
        },
        {
            "name": "signed",
            "input": {"url": "https://example.com/hook", "payload": {"a": 1}, "secret": "key"},
            "mocks": [
                {"function": "now", "output": 1769860800},
                {"function": "post_message", "output": {"status": 204, "body": ""}},
            ],
            "expect": {"output": {"status": 204, "body": ""}},
        },
    ],
)
def send_webhook(
    url: str, payload: Any, secret: str = "", headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Send a value as JSON to a webhook, signed if a secret is given.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        payload: The value.
        secret: The secret that is shared with the receiver. The headers `X-Timestamp` and `X-Signature-256`
            are then what `verify_signature` takes.
        headers: Further headers by name.
    """
    from selfmade import now

    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    sent = dict(headers or {})
    if secret:
        timestamp = int(now())
        sent |= {"X-Timestamp": str(timestamp), "X-Signature-256": sign_payload(body, secret, timestamp)}
    return post_message(url, body=body, headers=sent)
