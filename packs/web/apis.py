"""JSON APIs, in one answer or page by page."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"url": "https://api.example.com/users"},
            "mocks": [
                {"function": "http_request", "output": {"status": 200, "headers": {}, "body": '[{"id": 1}]'}}
            ],
            "expect": {"output": [{"id": 1}]},
        },
        {
            "name": "nothing in, nothing out",
            "input": {"url": "https://api.example.com/users/1", "method": "DELETE"},
            "mocks": [{"function": "http_request", "output": {"status": 204, "headers": {}, "body": ""}}],
            "expect": {"output": None},
        },
        {
            "name": "a refusal is raised with what the server said",
            "input": {"url": "https://api.example.com/users"},
            "mocks": [
                {
                    "function": "http_request",
                    "output": {"status": 401, "headers": {}, "body": '{"error": "bad token"}'},
                }
            ],
            "expect": {"error": {"type": "RuntimeError", "message": 'answered 401: {"error": "bad token"}'}},
        },
        {
            "name": "what is no JSON is told by its beginning",
            "input": {"url": "https://api.example.com/users"},
            "mocks": [
                {"function": "http_request", "output": {"status": 200, "headers": {}, "body": "<html>"}}
            ],
            "expect": {"error": {"type": "ValueError", "message": "no JSON, but: <html>"}},
        },
    ],
)
def fetch_json(
    url: str,
    method: str = "GET",
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    data: Any = None,
) -> Any:
    """Ask a JSON API and return its answer; a status that is no success is raised with what the server said.

    Args:
        url: The address. Its host must be in the `network` grant of the function that calls this one.
        method: GET, POST, PUT, PATCH or DELETE.
        params: What to add to the address as a query.
        headers: Headers by name, such as `{"Authorization": f"Bearer {secrets.api_key}"}`.
        data: A value to send as JSON.
    """
    answer = http_request(url, method, params, {"Accept": "application/json", **(headers or {})}, data)
    text = answer["body"] if isinstance(answer["body"], str) else answer["body"].decode("utf-8", "replace")
    place = urllib.parse.urlsplit(url).netloc
    if not 200 <= answer["status"] < 300:
        raise RuntimeError(f"`{place}` answered {answer['status']}: {text[:300]}")
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise ValueError(f"`{place}` answered no JSON, but: {text[:300]}") from None


@selfmade.function(
    timeout=300,
    tests=[
        {
            "name": "one page, its items under a name",
            "input": {"url": "https://api.example.com/users", "items": "data.users", "next_path": "next"},
            "mocks": [
                {
                    "function": "http_request",
                    "output": {
                        "status": 200,
                        "headers": {},
                        "body": '{"data": {"users": [1, 2]}, "next": null}',
                    },
                }
            ],
            "expect": {"output": [1, 2]},
        },
        {
            "name": "no more than asked for",
            "input": {"url": "https://api.example.com/users", "page_param": "page", "most": 3},
            "mocks": [
                {"function": "http_request", "output": {"status": 200, "headers": {}, "body": "[1, 2]"}}
            ],
            "expect": {"output": [1, 2, 1]},
        },
        {
            "name": "a next page on another host is not followed",
            "input": {"url": "https://api.example.com/users"},
            "mocks": [
                {
                    "function": "http_request",
                    "output": {
                        "status": 200,
                        "headers": {"link": '<https://evil.example/2>; rel="next"'},
                        "body": "[1]",
                    },
                }
            ],
            "expect": {"error": {"type": "ValueError", "message": "evil.example"}},
        },
    ],
)
def fetch_json_pages(
    url: str,
    items: str = "",
    next_path: str = "",
    cursor_param: str = "",
    page_param: str = "",
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    most: int = 1000,
) -> list[Any]:
    """Collect the items of a JSON API that answers page by page.

    The next page is found by `page_param` or `next_path` if one is given, else by the header `Link` with
    rel="next".

    Args:
        url: The address of the first page. Its host must be in the `network` grant of the function that calls
            this one.
        items: Where the items are in an answer, such as `data.users`; the answer itself unless given.
        next_path: Where the address of the next page is in an answer, or its cursor.
        cursor_param: The parameter that takes the cursor, if `next_path` leads to one.
        page_param: The parameter that counts pages from 1; the first page without items is the end.
        params: What to add to each address as a query.
        headers: Headers by name.
        most: The most items to collect.
    """

    def part(value: Any, path: str) -> Any:
        for name in path.split(".") if path else []:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def following(answer: dict[str, Any], value: Any) -> str | None:
        if next_path:
            return part(value, next_path) or None
        found = re.search(r"<([^>]+)>\s*;[^,]*\brel=\"?next\b", answer["headers"].get("link", ""))
        return urllib.parse.urljoin(url, found[1]) if found else None

    first_host = urllib.parse.urlsplit(url).netloc
    asked = dict(params or {})
    collected: list[Any] = []
    for page in range(1, 10_001):
        if page_param:
            asked[page_param] = page
        answer = http_request(url, params=asked, headers={"Accept": "application/json", **(headers or {})})
        if not 200 <= answer["status"] < 300:
            raise RuntimeError(
                f"page {page} of `{first_host}` answered {answer['status']}: {answer['body'][:300]}"
            )
        value = json.loads(answer["body"])
        found = part(value, items)
        if not isinstance(found, list):
            raise ValueError(
                f"there is no list at `{items or 'the top'}` of page {page}; say where it is with `items`"
            )
        collected += found
        step = None if page_param else following(answer, value)
        if len(collected) >= most or not found or (not page_param and not step):
            break
        if step and cursor_param:
            asked[cursor_param] = step
        elif step:
            # An address that came in an answer gets our headers only if it is the same host's.
            url, asked = urllib.parse.urljoin(url, str(step)), {}
            if urllib.parse.urlsplit(url).netloc != first_host:
                raise ValueError(f"the next page is on another host: `{url}`")
    return collected[:most]
