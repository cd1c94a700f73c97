"""Runs every test that the packs declare against their functions as plain Python.

Each function is taken the way the server stores it: alone, with the imports of its file and the functions it
names, so a function that leans on anything else in the file fails here.
"""

import ast
import asyncio
import collections
import inspect
import os
import re
import sys
import unittest
from unittest import mock

import pack_files
import stand_in

FUNCTIONS = {function.name: function for function in pack_files.functions()}


def dependencies(function):
    return function.called() & set(FUNCTIONS)


def load(function, mocks):
    """The function with its dependencies, or with what replaces them."""
    scope = {}
    for name in dependencies(function):
        scope[name] = mocks[name] if name in mocks else load(FUNCTIONS[name], mocks)
    return function.alone(scope)


def run(function, given):
    result = function(**given)
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    return list(result) if inspect.isgenerator(result) else result


def fits(value, schema):
    """The few words of JSON Schema that the packs use; any other is an error here."""
    kinds = {"number": (int, float), "string": str, "array": list, "object": dict}
    checks = {
        "type": lambda wanted: isinstance(value, kinds[wanted]),
        "minimum": lambda least: value >= least,
        "maximum": lambda most: value <= most,
        "maxItems": lambda most: len(value) <= most,
        "pattern": lambda pattern: re.search(pattern, value) is not None,
        "const": lambda only: value == only,
        "required": lambda names: set(names) <= set(value),
        "properties": lambda parts: all(
            fits(value[name], part) for name, part in parts.items() if name in value
        ),
    }
    return all(checks[word](wanted) for word, wanted in schema.items())


class Declared(unittest.TestCase):
    def test_every_declared_test_holds(self):
        # Nothing is reached through a proxy of the machine that runs the tests.
        without_proxies = {name: "" for name in os.environ if name.lower().endswith("_proxy")}
        with mock.patch.dict(os.environ, without_proxies):
            for function in FUNCTIONS.values():
                for number, test in enumerate(function.declared["tests"], start=1):
                    with self.subTest(function=function.name, test=test.get("name", number)):
                        self.check(function, test)

    def check(self, function, test):
        answers = {one["function"]: stand_in.from_json(one["output"]) for one in test.get("mocks", [])}
        mocks = {name: lambda *_, answer=answer, **__: answer for name, answer in answers.items()}
        host = stand_in.Host(answers, function.declared.get("secrets", []))
        with mock.patch.dict(sys.modules, {"selfmade": host}):
            callee = load(function, mocks)
            ((kind, wanted),) = test["expect"].items()
            given = stand_in.from_json(test["input"])
            if kind == "error":
                with self.assertRaises(Exception) as caught:
                    run(callee, given)
                self.assertEqual(type(caught.exception).__name__, wanted["type"])
                self.assertIn(wanted["message"], str(caught.exception))
                return
            got = stand_in.to_json(run(callee, given))
        if kind == "schema":
            self.assertTrue(fits(got, wanted), f"{got!r} does not fit {wanted}")
        else:
            self.assertIn(kind, ("output", "pins"))
            self.assertEqual(got, wanted)

    def test_a_mock_stands_for_something_that_is_used(self):
        for function in FUNCTIONS.values():
            used = {text for name in reached(function) for text in words(FUNCTIONS[name])}
            for test in function.declared["tests"]:
                for one in test.get("mocks", []):
                    with self.subTest(function=function.name, mock=one["function"]):
                        self.assertIn(one["function"], used)


def reached(function):
    """The function and everything it calls, directly or not."""
    found, waiting = set(), [function.name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += dependencies(FUNCTIONS[name])
    return found


def words(function):
    """Names and dotted names in its source."""
    for node in ast.walk(function.definition):
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield ast.unparse(node)


class Waiting(unittest.TestCase):
    def test_what_sleeps_reaches_no_network_itself(self):
        # With a network grant of its own, a function holds its cell while it sleeps, unless it may be run again.
        sleeping = [function for function in FUNCTIONS.values() if "sleep" in words(function)]
        names = {function.name for function in sleeping}
        expected = {"count_down", "read_rss_entries", "read_discord_messages", "create_talking_avatar"}
        self.assertLessEqual(expected, names)
        for function in sleeping:
            declared = function.declared
            with self.subTest(function.name):
                self.assertTrue("network" not in declared or declared.get("idempotent"))


class Written(unittest.TestCase):
    def test_no_two_functions_have_the_same_name(self):
        names = collections.Counter(function.name for function in pack_files.functions())
        self.assertEqual([name for name, times in names.items() if times > 1], [])

    def test_a_pack_can_be_loaded_alone(self):
        for function in FUNCTIONS.values():
            for name in dependencies(function):
                with self.subTest(function=function.name, calls=name):
                    self.assertEqual(FUNCTIONS[name].pack, function.pack)

    def test_every_function_is_documented_typed_and_tested(self):
        for function in FUNCTIONS.values():
            with self.subTest(function.name):
                described = ast.get_docstring(function.definition)
                self.assertTrue(described.splitlines()[0].endswith("."))
                self.assertIsNotNone(function.definition.returns)
                arguments = function.definition.args
                for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
                    self.assertIsNotNone(parameter.annotation)
                    self.assertIn(f"    {parameter.arg}: ", described)
                self.assertIn(len(function.declared["tests"]), range(2, 5))

    def test_secrets_go_to_few_hosts(self):
        for function in FUNCTIONS.values():
            hosts = function.declared.get("network", [])
            if function.declared.get("secrets"):
                with self.subTest(function.name):
                    self.assertLessEqual(len(hosts), 8)
                    self.assertTrue(all(host.count(".") > 1 or "*" not in host for host in hosts), hosts)

    def test_the_files_are_python_that_the_sdk_takes(self):
        for file in {function.file for function in FUNCTIONS.values()}:
            with self.subTest(file.name):
                exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {"__name__": "pack"})


if __name__ == "__main__":
    unittest.main()
