"""Stand-ins for the blocks of `selfmade demo reddit` that ask Reddit and a language model. They have the same pins, and reach
nothing: the posts are made up, and what the model says follows a rule.
"""

from collections.abc import Iterator
from typing import Any

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"subreddit": "rain", "post_limit": 1},
            "expect": {
                "pins": [
                    [
                        "post",
                        {
                            "id": "a1",
                            "subreddit": "rain",
                            "title": "How do you keep agents from breaking each other?",
                            "body": "Mine share one folder and overwrite files.",
                        },
                    ]
                ]
            },
        }
    ],
)
def demo_reddit_posts(subreddit: str, post_limit: int = 3) -> Iterator[tuple[str, Any]]:
    """Send made-up posts, in place of those of Reddit.

    Args:
        subreddit: What is named as their subreddit.
        post_limit: How many at most.
    """
    posts = [
        ("a1", "How do you keep agents from breaking each other?", "Mine share one folder and overwrite files."),
        ("a2", "My cat likes the server rack", "It is warm. Any ideas?"),
        ("a3", "Looking for an agent runner with an undo", "One of my agents changed its own code, and I want it back."),
    ]
    for post_id, title, body in posts[:post_limit]:
        yield "post", {"id": post_id, "subreddit": subreddit, "title": title, "body": body}


@selfmade.function(
    tests=[
        {
            "input": {"prompt": "Post a1 in r/rain: an agent", "expected_format": {}},
            "expect": {
                "pins": [
                    [
                        "response",
                        {
                            "post_id": "a1",
                            "is_relevant": "true",
                            "marketing_text": "I work on selfmade: it keeps every version, and one command undoes a change.",
                        },
                    ]
                ]
            },
        },
        {
            "name": "a cat is no agent",
            "input": {"prompt": "Post a2 in r/rain: a cat", "expected_format": {}},
            "expect": {"pins": [["response", {"post_id": "a2", "is_relevant": "false", "marketing_text": ""}]]},
        },
    ],
)
def demo_reddit_judge(prompt: str, expected_format: dict[str, Any], sys_prompt: str = "") -> Iterator[tuple[str, Any]]:
    """Say whether a post is relevant, in place of a language model: it is if it speaks of agents.

    Args:
        prompt: The post.
        expected_format: Ignored; the answer has the keys of the demo.
        sys_prompt: Ignored.
    """
    post = prompt.split("Post ", 1)[1]
    is_relevant = "agent" in post
    comment = "I work on selfmade: it keeps every version, and one command undoes a change."
    yield (
        "response",
        {
            "post_id": post.split()[0],
            "is_relevant": str(is_relevant).lower(),
            "marketing_text": comment if is_relevant else "",
        },
    )


@selfmade.function(
    tests=[{"input": {"data": {"post_id": "a1", "comment": "Hi"}}, "expect": {"pins": [["comment_id", "comment-on-a1"]]}}],
)
def demo_reddit_comment(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Print a comment, in place of posting it on Reddit.

    Args:
        data: `post_id` and `comment`.
    """
    print(f"on {data['post_id']}: {data['comment']}")
    comment_id: str = f"comment-on-{data['post_id']}"
    yield "comment_id", comment_id
