"""What the decorator promises to those who import a pack as plain Python."""

import ast
import inspect
import typing
import unittest

import selfmade


class Decorating(unittest.TestCase):
    def test_a_bare_decorator_declares_nothing_and_returns_the_same_function(self):
        def greet(name: str) -> str:
            """Greet someone."""
            return f"Hello, {name}!"

        decorated = selfmade.function(greet)

        self.assertIs(decorated, greet)
        self.assertEqual(greet.__selfmade__, {})
        self.assertEqual(greet("Ada"), "Hello, Ada!")

    def test_keywords_are_recorded_as_written(self):
        tests = [{"input": {"n": 1}, "expect": {"output": 2}}]

        @selfmade.function(
            network=["api.example.com"], timeout=2.5, brain="read", memory="256MB", tests=tests
        )
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
        self.assertEqual(successor(1), 2)

    def test_empty_parentheses_are_as_good_as_none(self):
        @selfmade.function()
        def nothing():
            pass

        self.assertEqual(nothing.__selfmade__, {})

    def test_generators_and_async_functions_stay_what_they_are(self):
        @selfmade.function
        def pins():
            yield ("pin", 1)

        @selfmade.function
        async def later():
            return 1

        self.assertTrue(inspect.isgeneratorfunction(pins))
        self.assertTrue(inspect.iscoroutinefunction(later))


class Refusing(unittest.TestCase):
    def test_an_unknown_keyword_is_named_with_those_that_are_allowed(self):
        with self.assertRaises(TypeError) as caught:
            selfmade.function(netwrok=["api.example.com"])
        self.assertIn("`netwrok`", str(caught.exception))
        self.assertIn("network", str(caught.exception))
        self.assertIn("metadata", str(caught.exception))

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
            "timeout": "5s",
            "memory": True,
            "processes": 0,
            "retries": {"attempts": 0},
            "idempotent": "yes",
            "isolation": "hot",
            "concurrency": {"limit": 2},
            "record": "some",
            "priority": 1000,
            "tests": {},
            "metadata": [],
        }
        self.assertEqual(set(wrong), set(typing.get_type_hints(selfmade.Declared)))
        for keyword, value in wrong.items():
            with self.subTest(keyword), self.assertRaisesRegex(TypeError, f"`{keyword}` .* must be"):
                selfmade.function(**{keyword: value})

    def test_how_a_function_runs_can_be_said_short_and_long(self):
        for keywords in (
            {"retries": 0, "concurrency": 2, "priority": -5, "record": "none"},
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
