"""Blocks for Reddit.

What asks a service again and again does so through a function of its own that has the grant. Each request is a step then, so
a run that waits holds no cell and asks nothing twice.
"""

from collections.abc import Iterator
from typing import Any

import selfmade


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
