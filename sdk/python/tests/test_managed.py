"""Calling a decorated function is a run on a real server."""

import asyncio
import contextlib
import importlib.util
import io
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import threading
import unittest
import unittest.mock

import real
import selfmade


@selfmade.function(timeout=20)
def managed_shout(text: str, times: int = 1) -> str:
    """Say it loud."""
    return text.upper() * times


@selfmade.function
def managed_greet(name: str) -> str:
    print(f"greeting {name}")
    return loud(f"hello, {name}")


loud = managed_shout


@selfmade.function
def managed_even(n: int) -> bool:
    return n == 0 or managed_odd(n - 1)


@selfmade.function
def managed_odd(n: int) -> bool:
    return n != 0 and managed_even(n - 1)


@selfmade.function
def managed_pid() -> int:
    import os

    return os.getpid()


@selfmade.function
async def managed_later(n: int) -> int:
    return n + 1


@selfmade.function
def managed_pins(n: int):
    for i in range(n):
        yield ("pin", i)


@selfmade.function
async def managed_many(n: int):
    for i in range(n):
        yield i


@selfmade.function
def managed_fails(n: int) -> int:
    raise ValueError(f"not {n}")


@selfmade.function
def managed_wrong() -> int:
    return nothing_such()  # noqa: F821


@selfmade.function
def managed_needs_wrong() -> int:
    return managed_wrong()


@real.needs_server
class Calling(unittest.TestCase):
    def test_a_call_is_a_run_and_is_recorded(self):
        self.assertEqual(managed_shout("a", times=2), "AA")
        run = selfmade.runs.list("managed_shout").first()[0]
        self.assertEqual((run.state, run.version), ("succeeded", 1))
        self.assertEqual(selfmade.runs.get(run).input, {"text": "a", "times": 2})
        self.assertEqual(selfmade.functions.get("managed_shout").content.grants["limits"]["timeout_ms"], 20000)

    def test_the_function_runs_elsewhere_and_locally_only_when_asked(self):
        import os

        self.assertNotEqual(managed_pid(), os.getpid())
        self.assertEqual(managed_pid.local(), os.getpid())
        with selfmade.plain():
            self.assertEqual(managed_pid(), os.getpid())
            self.assertNotEqual(managed_pid.remote(), os.getpid())

    def test_what_it_calls_is_stored_with_it(self):
        self.assertEqual(managed_greet("Ada"), "HELLO, ADA")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(managed_greet.local("Ada"), "HELLO, ADA")
        self.assertEqual(printed.getvalue(), "greeting Ada\n")
        self.assertEqual(
            [one.function for one in selfmade.functions.get("managed_greet").content.dependencies], ["managed_shout"]
        )

    def test_functions_may_call_each_other_in_circles(self):
        self.assertTrue(managed_even(4))
        self.assertFalse(managed_odd(4))

    def test_the_same_text_is_the_same_version(self):
        self.assertEqual(managed_greet.register(), managed_greet.register())
        self.assertEqual(len(selfmade.functions.versions("managed_greet")), 1)
        with open(__file__, encoding="utf-8") as file:
            text = "import selfmade\n" + file.read().partition("import selfmade\n")[2].partition("loud = ")[0]
        # A pack with the same functions is the same too, but for the name by which one calls the other.
        loaded = selfmade.packs.load(
            {"managed.py": text.replace("loud(", "managed_shout(")}, name="managed", replace=True
        )
        self.assertEqual([move.name for move in loaded.applied.moves], ["managed_greet"])

    def test_a_file_is_the_same_version_whether_it_is_called_or_added(self):
        text = (
            "from __future__ import annotations\n\n"
            "import re, json\n"
            "import selfmade\n"
            "from math import pi as circle, tau\n"
            "from decimal import Decimal\n\n"
            "@selfmade.function(timeout=5)\n"
            "def managed_written(text: str, much: 'Decimal | None' = None) -> dict[str, float]:\n"
            '    """Uses what is around it."""\n'
            "    selfmade.log(text)\n"
            "    return {json.dumps(text): circle + tau}\n\n"
            "    # What is left to do.\n\n\n"
            "print\n"
        )
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "managed_written.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("managed_written", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.managed_written.register()
        selfmade.functions.put("managed_written", text.replace("\n\n\nprint\n", "\n"))
        self.assertEqual(len(selfmade.functions.versions("managed_written")), 1)

    def test_a_change_that_breaks_callers_is_refused_unless_it_is_forced(self):
        selfmade.functions.put("managed_callee", "def managed_callee(a):\n    return a\n")
        selfmade.functions.put("managed_caller", "def managed_caller():\n    return managed_callee(1)\n")
        changed = "def managed_callee(a, b):\n    return a\n"
        with self.assertRaises(selfmade.Refused) as caught:
            selfmade.functions.put("managed_callee", changed)
        self.assertEqual([finding.entry.name for finding in caught.exception.findings], ["managed_caller"])
        self.assertEqual(selfmade.functions.put("managed_callee", changed, force=True).moves[0].after, 2)

    def test_a_result_that_is_not_recorded_is_an_error_and_not_nothing(self):
        selfmade.functions.put(
            "managed_secretive",
            "import selfmade\n\n@selfmade.function(record='none')\ndef managed_secretive() -> int:\n    return 7\n",
        )
        self.assertEqual(selfmade.run("managed_secretive"), 7)
        handle = selfmade.runs.submit("managed_secretive")
        while handle.record().state != "succeeded":
            pass
        with self.assertRaisesRegex(selfmade.RunError, "is not recorded, because `managed_secretive` declares"):
            handle.result()

    def test_what_was_written_here_runs_whatever_is_live(self):
        managed_pid.register()
        selfmade.functions.put("managed_pid", "def managed_pid() -> int:\n    return -1\n")
        self.assertNotEqual(managed_pid(), -1)
        self.assertEqual(selfmade.run("managed_pid"), -1)

    def test_async_functions_and_generators_are_called_as_such(self):
        async def awaited():
            return await managed_later(1), await managed_shout.aio("a"), [n async for n in managed_many(2)]

        self.assertEqual(asyncio.run(awaited()), (2, "A", [0, 1]))
        self.assertEqual(list(managed_pins(2)), [("pin", 0), ("pin", 1)])

    def test_what_it_raises_is_raised_here_with_where(self):
        with self.assertRaisesRegex(ValueError, "not 3") as caught:
            managed_fails(3)
        self.assertIn("in managed_fails", caught.exception.traceback)
        with self.assertRaisesRegex(ValueError, "`n` must be an integer"):
            managed_fails("x")

    def test_a_value_that_cannot_travel_is_refused_here(self):
        with self.assertRaisesRegex(selfmade.NotCarried, "argument 1 is a `object`"):
            managed_shout(object())

    def test_a_function_that_fails_its_checks_says_why_and_leaves_nothing_behind(self):
        for function in (managed_wrong, managed_needs_wrong):
            with self.subTest(function.name), self.assertRaisesRegex(selfmade.Refused, "nothing_such"):
                function()
        self.assertEqual(selfmade.changesets.list(state="checked").all(), [])

    def test_runs_are_queued_and_followed(self):
        self.assertEqual(managed_shout.submit("a").result(), "A")
        news = [getattr(one, "state", None) or one.text for one in managed_greet.stream("Ada")]
        self.assertEqual(news[-1], "succeeded")
        self.assertIn("greeting Ada\n", news)

        async def followed():
            return [one async for one in managed_greet.stream_aio("Ada")][-1]

        self.assertEqual(asyncio.run(followed()).state, "succeeded")

    def test_ctrl_c_cancels_the_run(self):
        selfmade.functions.put(
            "managed_rests",
            "import time\n\ndef managed_rests():\n    import selfmade\n"
            "    selfmade.emit('managed_resting')\n    time.sleep(600)\n",
        )

        def interrupt():
            for _ in selfmade.events.stream("*managed_resting*", after=0):
                os.kill(os.getpid(), signal.SIGINT)
                return

        # Whoever is started in the background ignores it.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            selfmade.run("managed_rests")
        thread.join()
        run = selfmade.runs.list("managed_rests").first()[0]
        self.assertEqual(selfmade.runs.wait(run.id).state, "cancelled")

    def test_a_forked_child_has_connections_of_its_own(self):
        managed_shout("a")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writing, managed_shout("child").encode())
            finally:
                os._exit(0)
        here = [managed_shout(f"here {n}") for n in range(5)]
        os.waitpid(child, 0)
        os.close(writing)
        with open(reading, encoding="utf-8") as pipe:
            self.assertEqual(pipe.read(), "CHILD")
        self.assertEqual(here, [f"HERE {n}" for n in range(5)])

    def test_it_is_found_by_name_in_other_processes(self):
        self.assertIs(pickle.loads(pickle.dumps(managed_shout)), managed_shout)

    def test_options_are_stated_apart_from_arguments(self):
        once = managed_pid.options(idempotency_key="managed-once")
        self.assertEqual(once(), once())

    def test_somebody_at_a_console_sees_what_was_printed(self):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            managed_greet("Ada")
            with unittest.mock.patch.object(sys, "ps1", ">>> ", create=True):
                managed_greet("Bob")
                asyncio.run(managed_greet.aio("Eve"))
        self.assertEqual(printed.getvalue(), "greeting Bob\ngreeting Eve\n")

    def test_a_redefined_function_is_another_version(self):
        def defined(n):
            if n == 1:

                @selfmade.function
                def managed_again() -> int:
                    return 1
            else:

                @selfmade.function
                def managed_again() -> int:
                    return 2

            return managed_again

        self.assertEqual([defined(n)() for n in (1, 2, 1)], [1, 2, 1])
        self.assertEqual(len(selfmade.functions.versions("managed_again")), 2)


if __name__ == "__main__":
    unittest.main()
