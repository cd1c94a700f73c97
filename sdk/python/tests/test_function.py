"""What the decorator promises before anything is sent anywhere."""

import ast
import asyncio
import inspect
import os
import subprocess
import sys
import typing
import unittest
import unittest.mock

import selfmade


class Decorating(unittest.TestCase):
    def test_a_bare_decorator_declares_nothing_and_keeps_what_describes_the_function(self):
        @selfmade.function
        def greet(name: str) -> str:
            """Greet someone."""
            return f"Hello, {name}!"

        self.assertEqual(greet.__selfmade__, {})
        self.assertEqual((greet.name, greet.__name__, greet.__doc__), ("greet", "greet", "Greet someone."))
        self.assertEqual(str(inspect.signature(greet)), "(name: str) -> str")
        self.assertEqual(repr(greet), "<selfmade function greet(name: str) -> str>")

    def test_keywords_are_recorded_as_written(self):
        tests = [{"input": {"n": 1}, "expect": {"output": 2}}]

        @selfmade.function(network=["api.example.com"], timeout=2.5, brain="read", memory="256MB", tests=tests)
        def successor(n: int) -> int:
            return n + 1

        self.assertEqual(
            successor.__selfmade__,
            {
                "network": ["api.example.com"],
                "timeout": 2.5,
                "brain": "read",
                "memory": "256MB",
                "tests": tests,
            },
        )
        self.assertEqual(successor.local(1), 2)

    def test_empty_parentheses_are_as_good_as_none(self):
        @selfmade.function()
        def nothing():
            pass

        self.assertEqual(nothing.__selfmade__, {})


class Plain(unittest.TestCase):
    def test_inside_plain_the_decorator_returns_the_function_itself(self):
        def greet(name: str) -> str:
            return f"Hello, {name}!"

        with selfmade.plain():
            decorated = selfmade.function(timeout=1)(greet)

        self.assertIs(decorated, greet)
        self.assertEqual(greet.__selfmade__, {"timeout": 1})

    def test_local_calls_are_plain_all_the_way_down(self):
        @selfmade.function
        def one() -> int:
            return 1

        @selfmade.function
        def two() -> int:
            return one() + one()

        self.assertEqual(two.local(), 2)
        with selfmade.plain():
            self.assertEqual(two(), 2)

    def test_the_variable_makes_a_whole_process_plain(self):
        @selfmade.function
        def one() -> int:
            return 1

        with unittest.mock.patch.dict(os.environ, {"SELFMADE_PLAIN": "1"}):
            self.assertEqual(one(), 1)

    def test_generators_and_async_functions_stay_what_they_are(self):
        @selfmade.function
        def one() -> int:
            return 1

        @selfmade.function
        def pins():
            yield ("pin", one())

        @selfmade.function
        async def later() -> int:
            return one()

        @selfmade.function
        async def many():
            yield one()
            yield await later()

        async def awaited():
            return await later.local(), [value async for value in many.local()]

        self.assertEqual(list(pins.local()), [("pin", 1)])
        self.assertEqual(asyncio.run(awaited()), (1, [1, 1]))

    def test_what_works_inside_a_run_says_so_outside(self):
        for use in (
            lambda: selfmade.ask("Go?"),
            lambda: selfmade.sleep(1),
            lambda: selfmade.secrets["KEY"],
            lambda: selfmade.brain.search("x"),
        ):
            with self.assertRaisesRegex(selfmade.OutsideRun, "works inside a run"):
                use()
        with self.assertRaisesRegex(selfmade.OutsideRun, "`selfmade.server.secrets` lists, sets"):
            selfmade.secrets.set("KEY", "hush")


class Importing(unittest.TestCase):
    def test_importing_loads_nothing_that_talks_to_servers(self):
        program = (
            "import sys; before = set(sys.modules); import selfmade; new = set(sys.modules) - before\n"
            "print(sorted(new & {'asyncio', 'http.client', 'ssl', 'selfmade.client'}))"
        )
        told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout.strip(), "[]")

    def test_every_public_name_is_there(self):
        for name in selfmade.__all__:
            with self.subTest(name):
                self.assertTrue(hasattr(selfmade, name))
        with self.assertRaises(AttributeError):
            selfmade.fnuction


class Refusing(unittest.TestCase):
    def test_an_unknown_keyword_is_named_with_those_that_are_allowed(self):
        with self.assertRaises(TypeError) as caught:
            selfmade.function(netwrok=["api.example.com"])
        self.assertIn("`netwrok`", str(caught.exception))
        self.assertIn("did you mean `network`?", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "`colour`; it takes description, .*metadata"):
            selfmade.function(colour="red")

    def test_a_value_of_the_wrong_kind_is_refused_with_what_was_wanted(self):
        wrong = {
            "description": 1,
            "dependencies": "word_count",
            "requirements": [1],
            "network": ("a", "b"),
            "secrets": {"a": 1},
            "model": "yes",
            "brain": "write",
            "files": 1,
            "storage": True,
            "timeout": "5s",
            "memory": True,
            "processes": 0,
            "retries": {"attempts": 0},
            "idempotent": "yes",
            "isolation": "hot",
            "concurrency": {"limit": 2},
            "record": "some",
            "returns": "ignore",
            "priority": 1000,
            "budget": {"euros": 1},
            "tests": {},
            "metadata": [],
        }
        self.assertEqual(set(wrong), set(typing.get_type_hints(selfmade.Declared)))
        for keyword, value in wrong.items():
            with self.subTest(keyword), self.assertRaisesRegex(TypeError, f"`{keyword}` .* must be"):
                selfmade.function(**{keyword: value})

    def test_how_a_function_runs_can_be_said_short_and_long(self):
        for keywords in (
            {"retries": 0, "concurrency": 2, "priority": -5, "record": "none", "budget": 0.5},
            {"budget": {"money": 0.5, "turns": 20}},
            {"retries": {"attempts": 3, "first": 0.5}, "concurrency": {"limit": 1, "key": "user"}},
        ):
            with self.subTest(keywords):
                selfmade.function(**keywords)
        for keywords in ({"retries": True}, {"retries": {"attempts": 2, "often": 1}}, {"concurrency": 0}):
            with self.subTest(keywords), self.assertRaises(TypeError):
                selfmade.function(**keywords)

    def test_only_functions_can_be_decorated(self):
        with self.assertRaisesRegex(TypeError, "decorates a `def`"):
            selfmade.function(object)


class Types(unittest.TestCase):
    def test_the_typed_signature_names_every_keyword_that_is_accepted(self):
        bare, with_keywords, _ = definitions_of("function")
        self.assertEqual([parameter.arg for parameter in bare.args.posonlyargs], ["fn"])
        self.assertEqual(
            {parameter.arg for parameter in with_keywords.args.kwonlyargs},
            set(typing.get_type_hints(selfmade.Declared)),
        )


def definitions_of(name: str) -> list[ast.FunctionDef]:
    """The overloads and the implementation, from the source: Python 3.10 cannot tell them at run time."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(selfmade.function)))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]


if __name__ == "__main__":
    unittest.main()
