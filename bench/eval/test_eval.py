"""Tests of the measurement itself, with a benchmark of three functions."""

import gzip
import json
import pathlib
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import agents  # noqa: E402
import humaneval  # noqa: E402
import mutants  # noqa: E402
import oracle  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import streams  # noqa: E402


def problem(name, described, body, parameter="n: int", cases=()):
    asserts = "".join(f"    assert candidate({given}) == {wanted}\n" for given, wanted in cases)
    return {
        "task_id": name, "entry_point": name, "prompt": f'def {name}({parameter}):\n    """{described}\n    >>> {name}(1)\n    2\n    """\n',
        "canonical_solution": body, "test": f"def check(candidate):\n{asserts}",
    }  # fmt: skip


NUMBERS = (1, 2, 5, 9, 12)
PROBLEMS = [
    problem("add_three", "Add three to a number.", "    return n + 3\n", cases=[(n, n + 3) for n in NUMBERS]),
    problem("square", "Multiply a figure with itself.", "    return n * n\n", cases=[(n, n * n) for n in NUMBERS]),
    problem("is_even", "Tell whether two divides an amount.", "    return n % 2 == 0\n", cases=[(n, n % 2 == 0) for n in NUMBERS]),
    problem("negate", "Turn the sign around.", "    return 0 - n\n", cases=[(n, -n) for n in NUMBERS]),
]


class Evaluation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        data = "\n".join(map(json.dumps, PROBLEMS)).encode()
        (pathlib.Path(folder.name) / "HumanEval.jsonl.gz").write_bytes(gzip.compress(data))
        cls.tasks = humaneval.tasks(folder.name)
        cls.requests = streams.make(cls.tasks, 2, 1)

    def test_tasks_are_read_without_their_examples(self):
        self.assertEqual([task.name for task in self.tasks], [one["entry_point"] for one in PROBLEMS])
        task = self.tasks[0]
        self.assertEqual((task.goal, task.parameters), ("Add three to a number.", ["n"]))
        self.assertGreaterEqual(len(task.inputs), 12)
        self.assertTrue(task.is_solved_by(lambda n: n + 3))
        self.assertFalse(task.is_solved_by(lambda n: n + 2))

    def test_mutants_do_something_else(self):
        for task in self.tasks:
            wrong = mutants.mutants(task)
            self.assertTrue(wrong)
            for source in wrong:
                self.assertNotEqual(task.outcomes(source), task.outcomes())

    def test_streams_are_the_same_for_a_seed(self):
        again = streams.make(self.tasks, 2, 1)
        self.assertEqual([(one.stream, one.goal, one.examples) for one in again], [(one.stream, one.goal, one.examples) for one in self.requests])
        self.assertEqual({one.stream for one in self.requests} - {"compose"}, {"fresh", "repeat", "near", "broken"})
        self.assertEqual([one.repeats for one in self.requests if one.stream == "repeat"], [0, 0, 1, 1])

    def test_examples_are_true(self):
        for request in self.requests:
            for shown in request.examples:
                call, _, result = shown.partition(" => ")
                given = json.loads(f"[{call[2:-1]}]")
                self.assertEqual(request.task.outcomes(inputs=[given]), [json.dumps(eval(result))])

    def test_an_oracle_that_is_always_right_solves_everything(self):
        sure = oracle.Oracle(self.requests, 1, right=1.0, tests_right=1.0, chooses=1.0, reviews=0.0)
        lines = run.follow(agents.Ours(sure), [one for one in self.requests if one.stream != "broken"])
        self.assertEqual([line["goal"] for line in lines if not line["solved"]], [])
        self.assertEqual(report.measure(lines)["repeat"]["reuse_rate"], 1.0)

    def test_an_oracle_that_is_always_wrong_stores_nothing_wrong(self):
        wrong = oracle.Oracle(self.requests, 1, right=0.0, tests_right=1.0)
        lines = run.follow(agents.Ours(wrong), [one for one in self.requests if one.examples])
        self.assertEqual([line for line in lines if line["outcome"] == "applied" and not line["solved"]], [])

    def test_the_oracle_says_the_same_again(self):
        told = [oracle.Oracle(self.requests, 3)(*ask) for ask in [self.ask()] * 2]
        self.assertEqual(told[0], told[1])
        one = oracle.Oracle(self.requests, 3)
        self.assertGreater(len({one(*self.ask()) for _ in range(20)}), 1)

    def ask(self):
        text = "<<<goal\nAdd three to a number.\ngoal>>>\n<<<signature\ndef add_three(n: int) -> int\nsignature>>>"
        return ([{"role": "system", "content": ""}, {"role": "user", "content": text}],)

    def test_it_is_served_as_chat_completions(self):
        server = oracle.serve(oracle.Oracle(self.requests, 1, right=1.0))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions"
        for stream in (False, True):
            body = json.dumps({"model": "oracle", "messages": self.ask()[0], "stream": stream}).encode()
            with urllib.request.urlopen(urllib.request.Request(url, body)) as reply:
                text = reply.read().decode()
            self.assertIn("return n + 3", json.loads(text)["choices"][0]["message"]["content"] if not stream else text)

    def test_numbers_say_what_they_say(self):
        line = {"goal": "", "tokens": 10, "calls": 1, "engine": 0.1, "right_written": True, "could_reuse": False, "right": "write", "stream": "fresh"}
        lines = [
            {**line, "outcome": "applied", "solved": True},
            {**line, "outcome": "applied", "solved": False},
            {**line, "outcome": "undecided", "solved": False},
            {**line, "outcome": "reused", "solved": False, "stream": "near"},
            {**line, "outcome": "reused", "solved": True, "stream": "repeat", "right": "reuse", "could_reuse": True},
        ]
        found = report.measure(lines)["all"]
        self.assertEqual((found["solve_rate"], found["wrong_among_admitted"], found["reuse_rate"], found["false_reuse"]), (0.4, 0.5, 1.0, 1.0))
        self.assertEqual((found["right_ones_lost"], found["tokens_per_success"]), (0.3333, 25.0))
        self.assertIn("| ours | all | 5 | 40.0 % |", report.table({"ours": {"all": found}}))


if __name__ == "__main__":
    unittest.main()
