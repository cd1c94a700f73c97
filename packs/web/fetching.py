"""Requests to the web.

Who may reach what: `http_request`, `fetch_json`, `fetch_json_pages` and `download_file` are granted no host.
They run in the cell of the function that calls them and reach what *that* one lists in `network`, so write a
small function for your API and grant it the API's host. `browse` alone reaches the public web at large, with
plain GET requests and without secrets.
"""

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
            "input": {"url": "file:///etc/passwd"},
            "expect": {"error": {"type": "ValueError", "message": "must begin with http:// or https://"}},
        },
        {
            "name": "without a network nothing is reached",
            "input": {"url": "http://127.0.0.1:9/", "retries": 0},
            "expect": {"error": {"type": "ConnectionError", "message": "cannot reach `127.0.0.1`"}},
        },
        {
            "name": "one body at most",
            "input": {"url": "https://example.com", "method": "POST", "data": {"a": 1}, "body": "x"},
            "expect": {"error": {"type": "ValueError", "message": "`data` or `body`"}},
        },
    ],
)
def http_request(
    url: str,
    method: str = "GET",
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    data: Any = None,
    body: str | bytes | None = None,
    seconds: float = 20.0,
    retries: int = 2,
    limit: int = 5_000_000,
) -> dict[str, Any]:
    """Send an HTTP request and return status, headers and body, whatever the status.

    What may be tried again is: after a failure to connect and after 429, 502, 503 and 504, if the method is
    no POST or PATCH. Redirects are followed; credentials are not sent on to another host.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        method: GET, HEAD, POST, PUT, PATCH or DELETE.
        params: What to add to the address as a query; lists make several.
        headers: Headers by name.
        data: A value to send as JSON.
        body: A text or bytes to send as they are, in place of `data`.
        seconds: How long to wait for the server to say something.
        retries: How often to try again.
        limit: The most bytes of the answer; a longer one is an error.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"`{url}` must begin with http:// or https://")
    if data is not None and body is not None:
        raise ValueError("give `data` or `body`, not both")
    if params:
        url += ("&" if "?" in url else "?") + urllib.parse.urlencode(params, doseq=True)
    sent = {"User-Agent": "Mozilla/5.0 (compatible; selfmade)", "Accept": "*/*"}
    if data is not None:
        body, sent["Content-Type"] = json.dumps(data), "application/json"
    sent.update(headers or {})
    content = body.encode() if isinstance(body, str) else body
    host = urllib.parse.urlsplit(url).hostname or ""

    class Redirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, request: Any, *answer: Any) -> Any:
            following = super().redirect_request(request, *answer)
            if following is not None and urllib.parse.urlsplit(following.full_url).netloc != request.host:
                # Whoever this leads to was not meant to get our credentials, whatever header they are in.
                following.headers = {name: sent[name] for name in ("User-Agent", "Accept") if name in sent}
            return following

    def attempt() -> tuple[dict[str, Any], float]:
        request = urllib.request.Request(url, data=content, headers=sent, method=method.upper())
        try:
            answer = urllib.request.build_opener(Redirects).open(request, timeout=seconds)
        except urllib.error.HTTPError as error:
            if error.reason.startswith("egress ("):
                raise PermissionError(error.reason) from None
            answer = error
        with answer:
            raw = answer.read(limit + 1)
            if len(raw) > limit:
                raise ValueError(
                    f"the answer of `{host}` is longer than {limit} bytes; raise `limit` if you want it"
                )
            received = {name.lower(): value for name, value in answer.headers.items()}
            told = {
                "url": answer.url,
                "status": answer.status,
                "headers": received,
                "body": readable(raw, received),
            }
            return told, rest(received.get("retry-after", ""))

    def readable(raw: bytes, received: dict[str, str]) -> str | bytes:
        kind = received.get("content-type", "")
        # A page may say itself how it is written.
        place = kind if "html" not in kind or "charset" in kind else raw[:2048].decode("latin-1")
        named = re.search(r"charset=[\"']?([\w-]+)", place)
        is_text = re.match(r"text/|application/(\w+[.+-])*(json|xml|javascript)", kind) is not None
        try:
            return raw.decode(named[1] if named else "utf-8", "replace" if is_text else "strict")
        except (LookupError, UnicodeDecodeError):
            return raw.decode("utf-8", "replace") if is_text else raw

    def rest(after: str) -> float:
        return min(float(after), 30.0) if after.isdigit() else 0.0

    may_repeat = method.upper() not in ("POST", "PATCH")
    for tried in range(retries + 1):
        last = tried == retries or not may_repeat
        wait = 0.0
        try:
            told, wait = attempt()
            if last or told["status"] not in (429, 502, 503, 504):
                return told
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            if isinstance(error, PermissionError) or "403 egress (" in str(reason):
                raise PermissionError(str(reason).removeprefix("Tunnel connection failed: ")) from None
            if last:
                text = f"cannot reach `{host}`: {reason}"
                if not urllib.request.getproxies():
                    text += f"; in a cell, the function that calls this one must list `{host}` in its `network` grant"
                raise ConnectionError(text) from None
        time.sleep(max(wait, 0.5 * 2**tried))
    raise AssertionError("the last attempt returns or raises")


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
            "mocks": [
                {
                    "function": "http_request",
                    "output": {
                        "url": "https://example.com/",
                        "status": 200,
                        "headers": {"content-type": "text/html"},
                        "body": "<p>",
                    },
                }
            ],
            "expect": {
                "output": {"url": "https://example.com/", "status": 200, "type": "text/html", "body": "<p>"}
            },
        },
        {
            "name": "a status that is no success is told, not raised",
            "input": {"url": "https://example.com/none"},
            "mocks": [
                {
                    "function": "http_request",
                    "output": {
                        "url": "https://example.com/none",
                        "status": 404,
                        "headers": {},
                        "body": "gone",
                    },
                }
            ],
            "expect": {
                "output": {"url": "https://example.com/none", "status": 404, "type": "", "body": "gone"}
            },
        },
    ],
)
def browse(url: str, limit: int = 5_000_000) -> dict[str, Any]:
    """Get a page, feed or file of the public web: a plain GET, without credentials, cookies or a body.

    Args:
        url: The address. Hosts of the usual public domains can be reached, private networks never.
        limit: The most bytes of the answer.
    """
    answer = http_request(url, limit=limit)
    kind = answer["headers"].get("content-type", "").partition(";")[0].strip()
    return {"url": answer["url"], "status": answer["status"], "type": kind, "body": answer["body"]}


@selfmade.function(
    files=True,
    timeout=300,
    tests=[
        {
            "input": {"url": "https://example.com/files/report.pdf?x=1"},
            "mocks": [
                {
                    "function": "http_request",
                    "output": {
                        "status": 200,
                        "headers": {"content-type": "application/pdf"},
                        "body": {"$bytes": "AAE="},
                    },
                },
                {"function": "files.write", "output": None},
            ],
            "expect": {"output": {"name": "report.pdf", "bytes": 2, "type": "application/pdf"}},
        },
        {
            "name": "what is not there is not saved",
            "input": {"url": "https://example.com/none", "name": "a"},
            "mocks": [{"function": "http_request", "output": {"status": 404, "headers": {}, "body": ""}}],
            "expect": {"error": {"type": "RuntimeError", "message": "404"}},
        },
    ],
)
def download_file(url: str, name: str = "", limit: int = 16_000_000) -> dict[str, Any]:
    """Download a file into the run's folder.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        name: What to call it; the last part of the address unless given.
        limit: The most bytes; the folder takes 16 MiB a file.
    """
    from selfmade import files

    answer = http_request(url, limit=limit)
    if answer["status"] != 200:
        raise RuntimeError(f"`{url}` answered {answer['status']}")
    last = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rstrip("/").rpartition("/")[2]
    name = name or re.sub(r"[^\w ._+@()-]", "_", last).lstrip(".") or "download"
    body = answer["body"]
    files.write(name, body)
    size = len(body.encode() if isinstance(body, str) else body)
    return {"name": name, "bytes": size, "type": answer["headers"].get("content-type", "").partition(";")[0]}
