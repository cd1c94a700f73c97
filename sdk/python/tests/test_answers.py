"""What the server says becomes records and exceptions, also when it says more or less than this package knows."""

import datetime
import unittest

import selfmade
from selfmade._errors import api_error, run_failed
from selfmade._http import Response, Server
from selfmade._shape import load, moment
from selfmade._sse import Reader
from selfmade.models import Run

RUN = {
    "run_id": "01",
    "kind": "function",
    "name": "greet",
    "state": "succeeded",
    "actor": "token:1",
    "attempt": 1,
    "created_at": "2026-01-31T09:00:00.123456789Z",
    "input": {"at": {"$date": "2026-01-31"}},
    "output": {"$tuple": [1]},
    "usage": None,
    "of_a_newer_server": 1,
}


def failed(kind="ValueError", message="no", ending="raised", traceback="Traceback\nValueError: no"):
    error = {"type": kind, "message": message, "traceback": traceback}
    return load(Run, {**RUN, "state": "failed", "ending": ending, "error": error})


class Records(unittest.TestCase):
    def test_values_in_a_record_are_read_as_values(self):
        run = load(Run, RUN)
        self.assertEqual(run.output, (1,))
        self.assertEqual(run.input, {"at": datetime.date(2026, 1, 31)})
        self.assertEqual(run.result(), (1,))

    def test_what_this_package_does_not_know_is_in_raw(self):
        self.assertEqual(load(Run, RUN).raw["of_a_newer_server"], 1)

    def test_what_is_absent_is_its_default(self):
        self.assertIsNone(load(Run, RUN).error)
        self.assertIsNone(load(Run, RUN).usage)

    def test_times_finer_than_microseconds_are_cut(self):
        utc = datetime.timezone.utc
        self.assertEqual(moment("2026-01-31T09:00:00.123456789Z"), datetime.datetime(2026, 1, 31, 9, 0, 0, 123456, utc))
        self.assertEqual(moment("2026-01-31T09:00:00.5+01:00").utcoffset(), datetime.timedelta(hours=1))
        self.assertEqual(moment("2026-01-31T09:00:00Z"), datetime.datetime(2026, 1, 31, 9, tzinfo=utc))


class FailedRuns(unittest.TestCase):
    def test_a_built_in_exception_is_caught_as_such(self):
        with self.assertRaises(ValueError) as caught:
            failed().result()
        error = caught.exception
        self.assertIsInstance(error, selfmade.RunRaised)
        self.assertEqual((error.type, str(error), error.run.id), ("ValueError", "no", "01"))

    def test_the_traceback_of_the_run_is_shown_above_the_exception(self):
        self.assertIn("Traceback\nValueError: no", str(run_failed(failed()).__cause__))

    def test_a_key_error_is_told_as_the_run_told_it(self):
        self.assertEqual(str(run_failed(failed("KeyError", "'name'"))), "'name'")

    def test_exceptions_that_cannot_be_joined_are_still_raised(self):
        for kind in (
            "UnicodeDecodeError",
            "StopIteration",
            "SystemExit",
            "json.JSONDecodeError",
            "print",
            "BaseExceptionGroup",
        ):
            with self.subTest(kind):
                self.assertIs(type(run_failed(failed(kind))), selfmade.RunRaised)

    def test_endings_have_exceptions_of_their_own(self):
        self.assertIsInstance(run_failed(failed(ending="timed_out")), TimeoutError)
        self.assertIsInstance(run_failed(failed(ending="out_of_memory")), MemoryError)
        for ending in ("crashed", "killed", "broke_protocol", "lost", "of_a_newer_server"):
            self.assertIsInstance(run_failed(failed(ending=ending)), selfmade.RunBroken)

    def test_a_run_without_a_result_says_why(self):
        waiting = {"person": {"step": 1, "question": {"question": "Go?", "options": ["yes", "no"]}}}
        for state, expected in (
            ({"state": "cancelled"}, selfmade.RunCancelled),
            ({"state": "running"}, selfmade.RunUnfinished),
            ({"state": "waiting", "waiting": waiting}, selfmade.RunWaiting),
        ):
            with self.subTest(state), self.assertRaises(expected):
                load(Run, {**RUN, **state}).result()
        asks = load(Run, {**RUN, "state": "waiting", "waiting": waiting})
        self.assertEqual((asks.question, asks.choices), ("Go?", ["yes", "no"]))


class Problems(unittest.TestCase):
    def problem(self, status, **told):
        return api_error(status, {"error": {"code": "c", "message": "m", **told}}, "request-1", None)

    def test_each_status_has_its_exception(self):
        for status, kind in (
            (400, selfmade.BadRequest),
            (401, selfmade.Unauthorized),
            (403, selfmade.Forbidden),
            (404, selfmade.NotFound),
            (409, selfmade.Conflict),
            (412, selfmade.Stale),
            (413, selfmade.BadRequest),
            (422, selfmade.Refused),
            (429, selfmade.TooMany),
            (500, selfmade.Unavailable),
            (503, selfmade.Unavailable),
        ):
            with self.subTest(status):
                self.assertIs(type(self.problem(status)), kind)

    def test_it_carries_everything_that_was_told(self):
        error = self.problem(404, hint="did you mean `add`?", details={"a": 1})
        self.assertEqual(
            (error.code, error.message, error.hint, error.details), ("c", "m", "did you mean `add`?", {"a": 1})
        )
        self.assertEqual((error.status, error.request_id), (404, "request-1"))
        self.assertEqual(str(error), "m; did you mean `add`?")

    def test_findings_are_told_with_their_places(self):
        finding = {"message": "`h` is not defined", "severity": "error", "line": 2, "column": 12, "hint": "import it"}
        error = self.problem(422, details={"findings": [{**finding, "entry": {"kind": "function", "name": "g"}}]})
        self.assertIn("g:2:12: `h` is not defined; import it", str(error))

    def test_an_answer_that_is_not_ours_is_a_problem_too(self):
        for body in (b"<html>Bad gateway</html>", b"[]", b'{"error": "no"}', b""):
            with self.subTest(body):
                error = Response(502, {}, body).problem()
                self.assertEqual(
                    (type(error), str(error)), (selfmade.Unavailable, "the server answered with status 502")
                )
        with self.assertRaisesRegex(selfmade.SelfmadeError, "is this a selfmade server"):
            Response(200, {}, b"<html>").json()

    def test_how_long_to_wait_is_told(self):
        self.assertEqual(Response(429, {"retry-after": "30"}, b"{}").problem().retry_after, 30)


class Streams(unittest.TestCase):
    TEXT = ': hello\n\nid: 7\nevent: run.finished\ndata: {"a":\ndata: "é"}\n\ndata: x\r\n\r\n: alive\n\n'.encode()

    def test_messages_are_read_from_pieces_of_any_size(self):
        for size in (1, 2, 3, 7, len(self.TEXT)):
            reader = Reader()
            pieces = [self.TEXT[n : n + size] for n in range(0, len(self.TEXT), size)]
            got = [message for piece in pieces for message in reader.feed(piece)]
            with self.subTest(size):
                self.assertEqual(
                    [(one.kind, one.data, one.id) for one in got],
                    [("run.finished", '{"a":\n"é"}', "7"), ("message", "x", "7")],
                )


class Addresses(unittest.TestCase):
    def test_addresses_are_read_as_people_write_them(self):
        for text, address in (
            ("http://127.0.0.1:7333", "http://127.0.0.1:7333"),
            ("localhost:7333/", "http://localhost:7333"),
            ("https://brain.example/below/", "https://brain.example:443/below"),
            ("http://[::1]:7333", "http://[::1]:7333"),
        ):
            self.assertEqual(Server.parse(text).address, address)

    def test_what_is_no_address_is_refused(self):
        for text in ("ftp://x", "http://", ""):
            with self.subTest(text), self.assertRaisesRegex(selfmade.SelfmadeError, "is not the URL of a server"):
                Server.parse(text)

    def test_a_token_is_never_shown(self):
        self.assertNotIn("hush", repr(Server.parse("http://localhost:1", "hush")))


if __name__ == "__main__":
    unittest.main()
