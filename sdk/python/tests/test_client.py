"""The client against a real server: every noun, blocking and awaited."""

import asyncio
import datetime
import pathlib
import tempfile
import threading
import unittest

import real
import selfmade

ECHO = "def echo(x):\n    return x\n"
# Waits for a person, so that it goes on for as long as a test wants.
ASKS = "def asks():\n    import selfmade\n    return selfmade.ask('Go?', ['yes', 'no'])\n"


@real.needs_server
class Functions(unittest.TestCase):
    def test_a_function_is_put_read_compared_and_deleted(self):
        one = selfmade.functions.put(
            "client_add", "def client_add(a: int, b: int = 1) -> int:\n    return a + b\n", title="first"
        )
        self.assertEqual([(move.name, move.fate, move.after) for move in one.moves], [("client_add", "added", 1)])
        selfmade.functions.put("client_add", "def client_add(a: int, b: int = 2) -> int:\n    return a + b\n", expect=1)

        function = selfmade.functions.get("client_add")
        self.assertEqual((function.version, function.live), (2, True))
        self.assertEqual(str(function.signature), "(a: int, b: int = 2) -> int")
        self.assertEqual(selfmade.functions.get("client_add", version=1).version, 1)
        self.assertEqual([version.version for version in selfmade.functions.versions("client_add")], [1, 2])
        self.assertIn("+def client_add(a: int, b: int = 2) -> int:", str(selfmade.functions.diff("client_add", 1)))
        self.assertIn("client_add", [hit.name for hit in selfmade.search("client_add")])

        selfmade.functions.use("client_add", 1)
        self.assertEqual(selfmade.run("client_add", 1), 2)
        selfmade.functions.delete("client_add")
        with self.assertRaises(LookupError):
            selfmade.functions.get("client_add")

    def test_what_others_changed_is_not_overwritten(self):
        selfmade.functions.put("client_stale", "def client_stale():\n    return 1\n")
        with self.assertRaises(selfmade.Stale):
            selfmade.functions.put("client_stale", "def client_stale():\n    return 2\n", expect=7)
        with self.assertRaises(selfmade.Stale):
            selfmade.functions.put("client_stale", "def client_stale():\n    return 2\n", new=True)

    def test_a_source_that_fails_its_checks_is_refused_with_its_findings(self):
        with self.assertRaises(selfmade.Refused) as caught:
            selfmade.functions.put("client_bad", "def client_bad():\n    return nothing_such()\n")
        [finding] = caught.exception.findings
        self.assertEqual((finding.line, finding.severity), (2, "error"))
        self.assertIn("nothing_such", str(caught.exception))

    def test_lists_are_read_page_by_page(self):
        names = [f"client_page_{n}" for n in range(5)]
        changes = [{"function": {"source": f"def {name}():\n    return {n}\n"}} for n, name in enumerate(names)]
        selfmade.changesets.apply(selfmade.changesets.propose(changes).number)
        listing = selfmade.functions.list()
        page, cursor = listing.page(limit=2)
        self.assertEqual((len(page), cursor is None), (2, False))
        everything = [function.name for function in listing]
        self.assertEqual(everything, sorted(everything))
        self.assertLessEqual(set(names), set(everything))
        self.assertEqual([function.name for function in listing.first(3)], everything[:3])
        self.assertIn("<table>", listing._repr_html_())


@real.needs_server
class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        selfmade.functions.put("client_echo", ECHO.replace("echo", "client_echo"))
        selfmade.functions.put("client_asks", ASKS.replace("asks", "client_asks"))

    def test_values_go_there_and_back(self):
        from test_values import TRAVEL

        for value in TRAVEL:
            with self.subTest(value=value):
                self.assertEqual(selfmade.run("client_echo", value), value)
                self.assertEqual(selfmade.run("client_echo", x=value), value)

    def test_every_keyword_is_an_argument(self):
        selfmade.functions.put(
            "client_keywords",
            "def client_keywords(function, timeout, wait, self=0):\n    return [function, timeout, wait, self]\n",
        )
        got = selfmade.run("client_keywords", function=1, timeout=2, wait=3, self=4)
        self.assertEqual(got, [1, 2, 3, 4])

    def test_an_input_that_does_not_fit_is_refused_before_anything_starts(self):
        selfmade.functions.put("client_int", "def client_int(n: int) -> int:\n    return n\n")
        with self.assertRaisesRegex(ValueError, "`n` must be an integer"):
            selfmade.run("client_int", "x")
        self.assertEqual(selfmade.runs.list("client_int").all(), [])

    def test_what_a_run_raises_is_raised_here(self):
        selfmade.functions.put("client_raises", "def client_raises():\n    return {}['key']\n")
        with self.assertRaises(KeyError) as caught:
            selfmade.run("client_raises")
        self.assertEqual((caught.exception.type, str(caught.exception)), ("KeyError", "'key'"))
        self.assertIn("line 2, in client_raises", caught.exception.traceback)

    def test_a_run_that_takes_too_long_is_a_timeout(self):
        selfmade.functions.put("client_spins", "def client_spins():\n    while True:\n        pass\n")
        with self.assertRaises(TimeoutError) as caught:
            selfmade.runs.start("client_spins", timeout=0.2).result()
        self.assertEqual(caught.exception.ending, "timed_out")

    def test_a_run_is_tried_again_as_often_as_it_is_told(self):
        selfmade.functions.put("client_fails", "def client_fails():\n    return {}['key']\n")
        often = {"attempts": 3, "first": 0.001, "most": 0.002}
        self.assertEqual(selfmade.runs.start("client_fails", retries=often).attempt, 3)
        self.assertEqual(selfmade.runs.start("client_fails", retries=0).attempt, 1)
        with self.assertRaises(ValueError):
            selfmade.runs.start("client_fails", timeout=-1)

    def test_the_record_has_everything(self):
        selfmade.functions.put(
            "client_prints", "def client_prints(x):\n    print('hello')\n    return client_echo(x)\n"
        )
        run = selfmade.runs.start("client_prints", args=[(1,)])
        record = selfmade.runs.get(run)
        self.assertEqual((record.input, record.output, record.text), ({"x": (1,)}, (1,), "hello\n"))
        self.assertEqual([call.function for call in record.calls], ["client_echo"])
        self.assertEqual(record.who, "token python")
        self.assertIn("hello", record._repr_html_())
        self.assertEqual(selfmade.runs.list("client_prints").first()[0].id, run.id)
        self.assertEqual(selfmade.runs.rerun(run).output, (1,))

    def test_one_key_starts_one_run(self):
        ids = {selfmade.runs.start("client_echo", {"x": 1}, idempotency_key="client-once").id for _ in range(2)}
        self.assertEqual(len(ids), 1)

    def test_a_queued_run_asks_is_followed_and_answered(self):
        handle = selfmade.runs.submit("client_asks")
        states = []
        for news in handle.stream():
            states.append(getattr(news, "state", news))
            if states[-1] == "waiting":
                handle.answer("yes")
        self.assertEqual(states[-1], "succeeded")
        self.assertEqual(handle.result(), "yes")

    def test_a_run_that_asks_is_told_as_such(self):
        with self.assertRaises(selfmade.RunWaiting) as caught:
            selfmade.run("client_asks")
        self.assertEqual(caught.exception.question, "Go?")
        handle = selfmade.runs.handle(caught.exception.run)
        handle.cancel()
        with self.assertRaises(selfmade.RunCancelled):
            selfmade.runs.get(handle.id).result()

    def test_somebody_who_has_waited_long_enough_gets_the_run_as_it_is(self):
        selfmade.functions.put("client_rests", "import time\n\ndef client_rests():\n    time.sleep(600)\n")
        run = selfmade.runs.start("client_rests", wait=0)
        self.assertIn(run.state, ("queued", "running"))
        self.assertFalse(selfmade.runs.wait(run, wait=0.01).is_over)
        selfmade.runs.cancel(run)
        self.assertEqual(selfmade.runs.wait(run).state, "cancelled")

    def test_threads_share_a_client(self):
        got = []
        threads = [threading.Thread(target=lambda n=n: got.append(selfmade.run("client_echo", n))) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(got), list(range(16)))


@real.needs_server
class Others(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        selfmade.functions.put("client_echo", ECHO.replace("echo", "client_echo"))

    def test_changesets(self):
        proposed = selfmade.changesets.propose(
            [{"function": {"source": "def client_proposed():\n    return 1\n"}}], title="a try"
        )
        self.assertEqual((proposed.state, proposed.title, proposed.passed), ("checked", "a try", True))
        self.assertIn("client_proposed", proposed._repr_html_())
        self.assertEqual(selfmade.changesets.reject(proposed.number).state, "rejected")
        self.assertIn(proposed.number, [one.number for one in selfmade.changesets.list(state="rejected")])
        applied = selfmade.functions.put("client_reverted", "def client_reverted():\n    return 1\n")
        selfmade.changesets.revert(applied.changeset)
        with self.assertRaises(selfmade.NotFound):
            selfmade.functions.get("client_reverted")

    def test_triggers(self):
        selfmade.triggers.put(
            "client_trigger",
            "client_echo",
            source="nothing.*",
            condition="event.output > 1",
            rate=(5, 60),
            debounce=1.5,
        )
        trigger = selfmade.triggers.get("client_trigger")
        self.assertEqual((trigger.target, trigger.on, trigger.enabled), ("client_echo", "run.finished", True))
        self.assertEqual((trigger.content.debounce_ms, trigger.content.rate_limit), (1500, {"runs": 5, "seconds": 60}))
        selfmade.triggers.disable("client_trigger")
        self.assertFalse(selfmade.triggers.get("client_trigger").enabled)
        selfmade.triggers.enable("client_trigger")
        self.assertEqual(selfmade.triggers.dry_run("client_trigger").fires, 0)
        self.assertEqual(selfmade.triggers.firings("client_trigger").all(), [])
        self.assertIn("client_trigger", [one.name for one in selfmade.triggers.list()])
        selfmade.triggers.delete("client_trigger")
        with self.assertRaises(selfmade.NotFound):
            selfmade.triggers.get("client_trigger")

    def test_schedules(self):
        future = datetime.datetime(2099, 1, 31, 9, tzinfo=datetime.timezone.utc)
        for times, written in (
            ("@daily", "@daily"),
            (datetime.timedelta(hours=2), "7200"),
            (future, "2099-01-31T09:00:00Z"),
        ):
            selfmade.schedules.put("client_schedule", "client_echo", times, input={"x": (1,)})
            self.assertEqual(selfmade.schedules.get("client_schedule").times, written)
        self.assertEqual(selfmade.schedules.get("client_schedule").next, future)
        self.assertEqual(selfmade.schedules.run("client_schedule").result(), (1,))
        selfmade.schedules.pause("client_schedule")
        self.assertEqual([one.paused for one in selfmade.schedules.list() if one.name == "client_schedule"], [True])
        selfmade.schedules.resume("client_schedule")
        selfmade.schedules.delete("client_schedule")
        self.assertNotIn("client_schedule", [one.name for one in selfmade.schedules.list()])

    def test_secrets_are_set_and_never_shown(self):
        secrets = selfmade.server.secrets
        secrets.set("CLIENT_KEY", "hush")
        self.assertIn("CLIENT_KEY", [secret.name for secret in secrets.list()])
        self.assertNotIn("hush", repr(secrets.list()))
        secrets.set("CLIENT_KEY", "hush-hush", hosts=["Api.example.com"])
        self.assertEqual([secret.hosts for secret in secrets.list() if secret.name == "CLIENT_KEY"], [["api.example.com"]])
        secrets.delete("CLIENT_KEY")
        self.assertNotIn("CLIENT_KEY", [secret.name for secret in secrets.list()])

    def test_browsers_that_signed_in_are_listed_and_ended(self):
        self.assertEqual(selfmade.sessions.list(), [])
        with self.assertRaises(selfmade.NotFound):
            selfmade.sessions.delete("browser-none")

    def test_a_token_opens_what_its_role_may(self):
        token = selfmade.tokens.add("client-viewer", "viewer", patterns=["client_*"])
        self.assertNotIn(token.text, repr(token))
        viewer = selfmade.Client(selfmade.server.address, token.text)
        self.assertEqual(viewer.functions.get("client_echo").name, "client_echo")
        with self.assertRaises(selfmade.Forbidden):
            viewer.run("client_echo", 1)
        selfmade.tokens.delete("client-viewer")
        with self.assertRaises(selfmade.Unauthorized):
            viewer.functions.list().first()
        viewer.close()

    def test_a_pack_is_loaded_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "client_pack.py"
            path.write_text(
                "import selfmade\n\n@selfmade.function\ndef client_packed():\n    return 1\n", encoding="utf-8"
            )
            loaded = selfmade.packs.load(path)
        self.assertEqual(
            (loaded.pack, [move.name for move in loaded.applied.moves]), ("client_pack", ["client_packed"])
        )
        self.assertIn("client_pack", [pack.name for pack in selfmade.packs.list()])

    def test_insights(self):
        selfmade.run("client_echo", 1)
        self.assertGreaterEqual(selfmade.insights.get("client_echo").runs, 1)
        self.assertIn("client_echo", [insight.name for insight in selfmade.insights.list()])

    def test_health(self):
        self.assertTrue(selfmade.health().ok)

    def test_an_unknown_token_is_refused_when_connecting(self):
        address = selfmade.server.address
        try:
            with self.assertRaises(selfmade.Unauthorized):
                selfmade.connect(address, "selfmade_no")
        finally:
            selfmade.connect()
        self.assertEqual(selfmade.server.address, address)


@real.needs_server
class Events(unittest.TestCase):
    def test_events_are_read_from_the_beginning_and_taken_up_anywhere(self):
        for n in range(3):
            selfmade.functions.put("client_told", f"def client_told():\n    return {n}\n")

        def versions(after):
            events = selfmade.events.stream("function.*", source="client_told", after=after)
            got = [next(events) for _ in range(3 if after == 0 else 1)]
            events.close()
            return got

        told = versions(0)
        self.assertEqual([event.data["to"] for event in told], [1, 2, 3])
        self.assertEqual(versions(told[1].seq)[0], told[2])


@real.needs_server
class Awaited(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.addAsyncCleanup(selfmade.aio.server.close)

    async def test_the_awaited_client_does_the_same(self):
        aio = selfmade.aio
        await aio.functions.put("client_later", ECHO.replace("echo", "client_later"))
        await aio.functions.put("client_asks_later", ASKS.replace("asks", "client_asks_later"))
        self.assertEqual(await aio.run("client_later", (1,)), (1,))
        got = await asyncio.gather(*(aio.run("client_later", n) for n in range(20)))
        self.assertEqual(got, list(range(20)))
        self.assertIn("client_later", [function.name async for function in aio.functions.list()])

        handle = await aio.runs.submit("client_asks_later")
        async for news in handle.stream():
            if getattr(news, "state", None) == "waiting":
                await handle.answer("no")
        self.assertEqual(await handle.result(), "no")

        with self.assertRaises(selfmade.NotFound):
            await aio.functions.get("nothing.such")

    async def test_waiting_for_a_run_can_be_given_up_and_leaves_it_alone(self):
        await selfmade.aio.functions.put(
            "client_rests_later", "import time\n\ndef client_rests_later():\n    time.sleep(600)\n"
        )
        handle = await selfmade.aio.runs.submit("client_rests_later")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(handle.wait(), 0.2)
        self.assertFalse((await handle.record()).is_over)
        await handle.cancel()
        with self.assertRaises(selfmade.RunCancelled):
            await handle.result()

    async def test_events_are_iterated(self):
        await selfmade.aio.functions.put("client_heard", ECHO.replace("echo", "client_heard"))
        async for event in selfmade.aio.events.stream(source="client_heard", after=0):
            self.assertEqual(event.kind, "function.added")
            break


if __name__ == "__main__":
    unittest.main()
