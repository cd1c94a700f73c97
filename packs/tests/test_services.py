"""Lets the blocks talk to stand-ins of their services over HTTP, and to a language model that first answers wrongly."""

import os
import sys
import unittest
import urllib.parse
from unittest import mock

import pack_files
import stand_in
from services import Services
from test_declared import FUNCTIONS, load, run


class Blocks(unittest.TestCase):
    def setUp(self):
        self.services = Services()
        self.addCleanup(self.services.close)
        self.slept, self.asked = [], []
        without_proxies = {name: "" for name in os.environ if name.lower().endswith("_proxy")}
        patched = mock.patch.dict(os.environ, without_proxies)
        patched.start()
        self.addCleanup(patched.stop)

    def run_block(self, name, mocks=None, **given):
        """The pins of a block, whose requests reach the stand-ins, as far as its grants go."""
        real = load(FUNCTIONS["call_service"], {})
        granted = set()

        def call_service(url, *rest, **more):
            host = urllib.parse.urlsplit(url).hostname
            self.asked.append(host)
            self.assertTrue(any(fits(host, pattern) for pattern in granted), f"`{host}` is not granted")
            return real(self.services.url(url), *rest, **more)

        secrets = set()
        for function in reached(name):
            granted |= set(FUNCTIONS[function].declared.get("network", []))
            secrets |= set(FUNCTIONS[function].declared.get("secrets", []))
        host = stand_in.Host({"now": 1767621600, **(mocks or {})}, secrets)
        host.sleep = self.slept.append
        with mock.patch.dict(sys.modules, {"selfmade": host}):
            return run(load(FUNCTIONS[name], {"call_service": call_service, **(mocks or {})}), given)

    def test_a_message_goes_to_a_channel_in_pieces(self):
        pins = dict(self.run_block("send_discord_message", message_content="x" * 2001, channel_name="#Rain"))
        self.assertEqual((pins["status"], pins["channel_id"]), ("Message sent", "11"))
        self.assertEqual([len(one["content"]) for one in self.services.discord.messages["11"]], [2000, 1])

    def test_the_next_message_of_a_person_is_waited_for(self):
        discord = self.services.discord
        discord.say("10", "before")
        spoken = iter([lambda: None, lambda: discord.say("10", "beep", bot=True), lambda: discord.say("11", "hello")])

        class Sleeping(list):
            def append(self, seconds):
                super().append(seconds)
                next(spoken)()

        self.slept = Sleeping()
        pins = dict(self.run_block("read_discord_messages", polling_rate=7))
        self.assertEqual((pins["message_content"], pins["channel_name"], pins["username"]), ("hello", "rain", "ada"))
        self.assertEqual(self.slept, [7, 7, 7])

    def test_posts_are_read_and_commented(self):
        pins = self.run_block("get_reddit_posts", subreddit="rain", last_post="p1")
        self.assertEqual([post["id"] for _, post in pins], ["p3", "p2"])
        pins = self.run_block("post_reddit_comment", data={"post_id": "p1", "comment": "0 & 1"})
        self.assertEqual((pins, self.services.reddit.comments), ([("comment_id", "c1")], ["0 & 1"]))
        with self.assertRaisesRegex(RuntimeError, "there is no such post"):
            self.run_block("post_reddit_comment", data={"post_id": "p9", "comment": "?"})

    def test_a_post_is_published(self):
        pins = dict(
            self.run_block(
                "publish_to_medium",
                title="T",
                content="# T",
                content_format="markdown",
                tags=["a"],
                publish_status="draft",
            )
        )
        self.assertEqual((pins["post_url"], pins["published_at"]), ("https://medium.com/p1", 1767621600000))

    def test_a_video_is_waited_for(self):
        pins = self.run_block("create_talking_avatar", script_input="Hi", polling_interval=3)
        self.assertEqual(pins, [("video_url", "https://d-id.example/clp_1.mp4")])
        self.assertEqual(self.slept, [3, 3, 3])
        self.assertEqual(self.services.d_id.clips[0]["script"]["input"], "Hi")

    def test_what_is_read_comes_from_its_service(self):
        self.assertIn(("condition", "rain in Oslo"), self.run_block("get_weather", location="Oslo"))
        self.assertIn(("temperature", "40.1"), self.run_block("get_weather", location="Oslo", use_celsius=False))
        pins = self.run_block("get_wikipedia_summary", topic="Ada Lovelace/Life")
        self.assertEqual(pins, [("summary", "She wrote the first program.")])
        with self.assertRaisesRegex(LookupError, "no article `Nobody`"):
            self.run_block("get_wikipedia_summary", topic="Nobody")
        self.assertEqual(self.run_block("search_the_web", query="a & b?"), [("results", "found a & b?")])
        pins = self.run_block("extract_website", url="https://example.com/a?b=c")
        self.assertEqual(pins, [("content", "# https://example.com/a")])

    def test_english_subtitles_are_preferred(self):
        pins = dict(self.run_block("transcribe_youtube", youtube_url="https://youtu.be/dQw4w9WgXcQ"))
        self.assertEqual(pins["transcript"], "Never gonna give")
        with self.assertRaisesRegex(LookupError, "This video is unavailable"):
            self.run_block("transcribe_youtube", youtube_url="https://youtu.be/aaaaaaaaaaa")

    def test_a_feed_gives_each_entry_once(self):
        found = []
        given = {"url": "https://news.example.com/feed", "polling_rate": 60}
        newer = "<item><title>two</title><pubDate>Mon, 05 Jan 2026 14:01:00 GMT</pubDate></item>"

        class Enough(Exception):
            pass

        class Sleeping(list):
            def append(sleeping, seconds):
                list.append(sleeping, seconds)
                self.services.feed = self.services.feed.replace("</channel>", newer + "</channel>")
                if len(sleeping) == 3:
                    raise Enough

        self.slept = Sleeping()

        def gather(function, given):
            for pin, entry in function(**given):
                found.append((pin, entry["title"]))

        with mock.patch(f"{__name__}.run", gather), self.assertRaises(Enough):
            self.run_block("read_rss_entries", **given)
        self.assertEqual(found, [("entry", "one"), ("entry", "two")])

    def test_a_request_is_sent_once_whatever_comes_back(self):
        granted = {**FUNCTIONS["send_web_request"].declared, "network": ["api.medium.com"]}
        function = FUNCTIONS["send_web_request"]._replace(declared=granted)
        with mock.patch.dict(FUNCTIONS, {"send_web_request": function}):
            pins = self.run_block("send_web_request", url="https://api.medium.com/v1/me", method="GET")
        self.assertEqual(pins, [("client_error", {"message": "wrong authorization"})])
        self.assertEqual(self.asked, ["api.medium.com"])
        with self.assertRaisesRegex(AssertionError, "`localhost` is not granted"):
            self.run_block("send_web_request", url="http://localhost/admin")

    def test_a_model_is_told_what_is_wrong_with_its_answer(self):
        answers = iter(["no idea", '{"name": "Ada"}', '{"name": "", "age": 0}'])
        conversations = []

        def ask_model(messages, *_):
            conversations.append([*messages])
            return {"content": next(answers)}

        given = {"prompt": "Who?", "expected_format": {"name": "a name", "age": "in years"}}
        pins = dict(self.run_block("generate_structured", {"ask_model": ask_model}, **given))
        self.assertEqual(pins["response"], {"name": "", "age": 0})
        self.assertEqual([len(one) for one in conversations], [2, 4, 6])
        self.assertIn("contains no JSON object", conversations[1][-1]["content"])
        self.assertIn("`age` is missing", conversations[2][-1]["content"])

    def test_a_long_text_is_summarised_in_parts(self):
        asked = []

        def ask_model(messages, *_):
            asked.append(messages[0]["content"].split("\n\n", 1)[1])
            return {"content": f"s{len(asked)}"}

        text = " ".join(map(str, range(10)))
        given = {"text": text, "max_tokens": 5, "chunk_overlap": 2}
        pins = dict(self.run_block("summarise_text", {"ask_model": ask_model}, **given))
        self.assertEqual(asked, ["0 1 2 3 4", "3 4 5 6 7", "6 7 8 9", "s1\n\ns2\n\ns3"])
        self.assertEqual(pins["summary"], "s4")


def reached(name):
    """The block and everything it calls."""
    found, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += FUNCTIONS[one].called() & set(FUNCTIONS)
    return found


def fits(host, pattern):
    return host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]))


class Pack(unittest.TestCase):
    def test_only_reading_the_public_web_is_granted_many_hosts(self):
        functions = [one for one in pack_files.functions() if one.pack == "blocks"]
        many = [one.name for one in functions if len(one.declared.get("network", [])) > 8]
        self.assertEqual(many, ["fetch_public"])


if __name__ == "__main__":
    unittest.main()
