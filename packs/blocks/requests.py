"""How blocks reach services.

`call_service` is granted no host: it runs in the cell of the block that calls it and reaches what that one lists.
`fetch_public` alone reaches the public web at large, with plain GET requests and without secrets.
"""

import base64
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any, Literal

import selfmade


@selfmade.function(
    timeout=120,
    tests=[
        {
            "name": "only the web",
            "input": {"url": "file:///etc/passwd"},
            "expect": {"error": {"type": "ValueError", "message": "must begin with http:// or https://"}},
        },
        {
            "name": "without a grant nothing is reached",
            "input": {"url": "http://127.0.0.1:9/"},
            "expect": {"error": {"type": "ConnectionError", "message": "cannot reach `127.0.0.1`"}},
        },
    ],
)
def call_service(
    url: str,
    method: str = "GET",
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    data: Any = None,
    form: dict[str, Any] | None = None,
    login: list[str] | None = None,
    follow: int = 0,
) -> dict[str, Any]:
    """Send one request and return its status and its body: a value if that is JSON, else a text.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        method: The method.
        params: What to add to the address as a query.
        headers: Headers by name.
        data: A value to send as JSON.
        form: Fields to send as a form, in place of `data`.
        login: User and password.
        follow: How many redirects to follow; headers are sent to the first host only.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"`{url}` must begin with http:// or https://")
    if params:
        url += ("&" if "?" in url else "?") + urllib.parse.urlencode(params)
    sent = {"User-Agent": "Mozilla/5.0 (compatible; selfmade)", **(headers or {})}
    content = None
    if form is not None:
        content = urllib.parse.urlencode(form).encode()
    elif data is not None:
        content, sent["Content-Type"] = json.dumps(data).encode(), "application/json"
    if login:
        sent["Authorization"] = "Basic " + base64.b64encode(":".join(login).encode()).decode()
    host = urllib.parse.urlsplit(url).hostname or ""

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    request = urllib.request.Request(url, data=content, headers=sent, method=method.upper())
    try:
        answer = urllib.request.build_opener(NoRedirects).open(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.reason.startswith("egress ("):
            raise PermissionError(error.reason) from None
        answer = error
    except (OSError, http.client.HTTPException) as error:
        reason = str(getattr(error, "reason", None) or error).removeprefix("Tunnel connection failed: ")
        if "egress (" in reason:
            raise PermissionError(reason) from None
        raise ConnectionError(
            f"cannot reach `{host}`: {reason}; in a cell, the function that calls this one must list `{host}` in its "
            "`network` grant"
        ) from None
    with answer:
        target = answer.headers.get("Location")
        if answer.status in (301, 302, 303, 307, 308) and target and follow:
            following = urllib.parse.urljoin(url, target)
            same = urllib.parse.urlsplit(following).netloc == urllib.parse.urlsplit(url).netloc
            return call_service(following, headers=headers if same else None, follow=follow - 1)
        raw = answer.read(10_000_001)
        if len(raw) > 10_000_000:
            raise ValueError(f"the answer of `{host}` is longer than 10 MB")
        text = raw.decode(answer.headers.get_content_charset() or "utf-8", "replace")
        if "json" in answer.headers.get_content_type():
            try:
                return {"status": answer.status, "body": json.loads(text)}
            except ValueError:
                pass
        return {"status": answer.status, "body": text}


@selfmade.function(
    tests=[
        {
            "input": {"service": "Reddit", "answer": {"status": 200, "body": {"id": 1}}},
            "expect": {"output": {"id": 1}},
        },
        {
            "name": "a refusal says what the service says",
            "input": {"service": "Reddit", "answer": {"status": 403, "body": {"message": "Forbidden"}}},
            "expect": {"error": {"type": "RuntimeError", "message": "Reddit answered 403: {\"message\": \"Forbidden\"}"}},
        },
    ],
)
def checked_answer(service: str, answer: dict[str, Any]) -> Any:
    """Return the body of an answer, or raise what the service said if it is no success.

    Args:
        service: The service, as people call it.
        answer: What `call_service` returned.
    """
    if 200 <= answer["status"] < 300:
        return answer["body"]
    body = answer["body"] if isinstance(answer["body"], str) else json.dumps(answer["body"])
    raise RuntimeError(f"{service} answered {answer['status']}: {body[:300]}")


@selfmade.function(
    timeout=60,
    network=[
        "*.com",
        "*.org",
        "*.net",
        "*.edu",
        "*.gov",
        "*.int",
        "*.info",
        "*.io",
        "*.dev",
        "*.app",
        "*.ai",
        "*.co",
        "*.me",
        "*.tv",
        "*.xyz",
        "*.blog",
        "*.news",
        "*.eu",
        "*.uk",
        "*.ie",
        "*.de",
        "*.at",
        "*.ch",
        "*.fr",
        "*.be",
        "*.nl",
        "*.es",
        "*.pt",
        "*.it",
        "*.pl",
        "*.cz",
        "*.se",
        "*.no",
        "*.dk",
        "*.fi",
        "*.us",
        "*.ca",
        "*.mx",
        "*.br",
        "*.ar",
        "*.au",
        "*.nz",
        "*.in",
        "*.jp",
        "*.kr",
        "*.sg",
        "*.za",
    ],
    tests=[
        {
            "input": {"url": "https://example.com"},
            "mocks": [{"function": "call_service", "output": {"status": 200, "body": "<p>"}}],
            "expect": {"output": "<p>"},
        },
        {
            "name": "what is not there",
            "input": {"url": "https://example.com/none"},
            "mocks": [{"function": "call_service", "output": {"status": 404, "body": "gone"}}],
            "expect": {"error": {"type": "RuntimeError", "message": "answered 404"}},
        },
    ],
)
def fetch_public(url: str) -> Any:
    """Get a page or feed of the public web: a plain GET, without credentials.

    Args:
        url: The address. Hosts of the usual public domains can be reached, private networks never.
    """
    return checked_answer(f"`{url}`", call_service(url, follow=5))


@selfmade.function(
    timeout=120,
    tests=[
        {
            "input": {"url": "https://api.example.com/a", "method": "GET"},
            "mocks": [{"function": "call_service", "output": {"status": 204, "body": ""}}],
            "expect": {"pins": [["response", ""]]},
        },
        {
            "name": "a fault of the caller",
            "input": {"url": "https://api.example.com/a", "body": {"n": 0}},
            "mocks": [{"function": "call_service", "output": {"status": 422, "body": {"detail": "no"}}}],
            "expect": {"pins": [["client_error", {"detail": "no"}]]},
        },
        {
            "name": "anything else",
            "input": {"url": "https://api.example.com/a", "json_format": False, "body": {"n": 1}},
            "mocks": [{"function": "call_service", "output": {"status": 503, "body": "later"}}],
            "expect": {"pins": [["server_error", "later"]]},
        },
        {
            "name": "a host that is not granted",
            "input": {"url": "http://127.0.0.1:9/"},
            "expect": {"error": {"type": "ConnectionError", "message": "cannot reach `127.0.0.1`"}},
        },
    ],
)
def send_web_request(
    url: str,
    method: Literal["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"] = "POST",
    headers: dict[str, str] | None = None,
    json_format: bool = True,
    body: Any = None,
) -> Iterator[tuple[str, Any]]:
    """Send a request; what comes back leaves on one of three pins, as its status says. It is sent once.

    This block is granted no host. Add those that you use: `selfmade fn edit send_web_request`. Hosts of private networks
    have to be in the settings of the server too.

    Args:
        url: The address.
        method: The method.
        headers: Headers by name.
        json_format: Whether the body is sent as JSON, and not as a form.
        body: What is sent.
    """
    form = None if json_format or body is None else body
    answer = call_service(url, method, headers=headers, data=body if form is None else None, form=form)
    if 200 <= answer["status"] < 300:
        yield "response", answer["body"]
    elif 400 <= answer["status"] < 500:
        yield "client_error", answer["body"]
    else:
        yield "server_error", answer["body"]
