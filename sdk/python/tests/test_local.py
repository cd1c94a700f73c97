"""The local server: found, started, shared, and gone with whoever started it."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import real
import selfmade
from selfmade import _local
from selfmade._http import Server
from selfmade._listening import listening
from selfmade._local import LocalServer

# Says where its server is whenever it is asked to, until its input ends.
ASKED = """
import selfmade, sys
for line in sys.stdin:
    selfmade.health()
    print(selfmade.server.address, flush=True)
"""


class Interpreter:
    """Another Python that uses a brain."""

    def __init__(self, home, **variables):
        environment = {**os.environ, "SELFMADE_HOME": home, **variables}
        self.process = subprocess.Popen(
            [sys.executable, "-c", ASKED],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def address(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        """As an interpreter ends; returns what it complained about."""
        return self.process.communicate()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def serving(home):
    return int((pathlib.Path(home) / "brain.db.serve").read_text())


def wait_for_end(pid):
    """Returns when a process that is not our child is gone."""
    with contextlib.suppress(ProcessLookupError):
        file = os.pidfd_open(pid)
        try:
            select.select([file], [], [])
        finally:
            os.close(file)


@real.needs_server
class Sharing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name

    def test_interpreters_share_a_server_and_go_on_when_it_ends(self):
        with Interpreter(self.home) as one, Interpreter(self.home) as other:
            first = one.address()
            pid = serving(self.home)
            self.assertEqual(other.address(), first)
            self.assertEqual(one.end(), "")
            wait_for_end(pid)
            second = other.address()
            self.assertTrue(second.startswith("http://127.0.0.1:"), second)
            self.assertNotEqual(serving(self.home), pid)
            pid = serving(self.home)
            self.assertEqual(other.end(), "")
            wait_for_end(pid)

    def test_a_server_ends_with_an_interpreter_that_is_killed(self):
        with Interpreter(self.home) as one:
            one.address()
            pid = serving(self.home)
            one.process.send_signal(signal.SIGKILL)
            wait_for_end(pid)

    def test_interpreters_that_start_together_agree(self):
        with contextlib.ExitStack() as stack:
            all_of_them = [stack.enter_context(Interpreter(self.home)) for _ in range(3)]
            for one in all_of_them:
                one.process.stdin.write("\n")
                one.process.stdin.flush()
            addresses = {one.process.stdout.readline() for one in all_of_them}
            self.assertEqual(len(addresses), 1, addresses)

    def test_a_lost_token_is_made_again(self):
        for name in ("python", "python-"):
            with Interpreter(self.home) as one:
                self.assertIn("http://", one.address())
                kept = pathlib.Path(self.home) / "python-tokens.json"
                self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
                [text] = json.loads(kept.read_text()).values()
                client = selfmade.Client(one.address(), text)
                self.assertTrue(any(token.name.startswith(name) for token in client.tokens.list()))
                client.close()
                pid = serving(self.home)
                kept.unlink()
                one.end()
                wait_for_end(pid)

    def test_a_server_that_is_named_is_used(self):
        address, token = selfmade.server.address, selfmade.tokens.add("local-named", "viewer").text
        with Interpreter(self.home, SELFMADE_SERVER=address, SELFMADE_TOKEN=token) as one:
            self.assertEqual(one.address(), address)
        self.assertEqual(os.listdir(self.home), [])


class Missing(unittest.TestCase):
    def test_without_a_program_it_says_what_to_do(self):
        with tempfile.TemporaryDirectory() as home:
            for variables, words in (
                ({"SELFMADE_BINARY": "/nothing/such"}, "cannot be run"),
                ({"SELFMADE_BINARY": "", "PATH": ""}, "set SELFMADE_SERVER and SELFMADE_TOKEN"),
                ({"SELFMADE_BINARY": sys.executable}, "failed"),
            ):
                with self.subTest(words), Interpreter(home, **variables) as one:
                    one.process.stdin.write("\n")
                    self.assertRegex(one.end(), f"selfmade._errors.NoServer: .*{words}")


class Racing(unittest.TestCase):
    """Somebody else took the brain a moment ago and does not listen yet."""

    def find(self, found, served):
        local = LocalServer()
        with (
            mock.patch.object(_local.Brain, "here", return_value=_local.Brain(pathlib.Path("/nothing"), "brain.db")),
            mock.patch.object(_local.Brain, "is_served", return_value=served),
            mock.patch.object(_local, "_running", side_effect=found),
            mock.patch.object(LocalServer, "_start", return_value=None),
            mock.patch.object(_local, "_REST_SECONDS", 0),
        ):
            return local.find()

    def test_it_is_waited_for(self):
        server = Server("127.0.0.1", 1)
        self.assertEqual(self.find([None, None, server], served=True), server)

    def test_a_server_that_cannot_be_started_is_not(self):
        with self.assertRaisesRegex(selfmade.NoServer, "no local server could be started"):
            self.find([None], served=False)


class Listening(unittest.TestCase):
    def test_a_process_is_asked_where_it_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("0.0.0.0", 0)) as every:
            found = listening(os.getpid())
            self.assertIn(("127.0.0.1", one.getsockname()[1]), found)
            self.assertIn(("127.0.0.1", every.getsockname()[1]), found)

    def test_a_process_that_is_gone_listens_nowhere(self):
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        self.assertEqual(listening(gone.pid), [])


if __name__ == "__main__":
    unittest.main()
