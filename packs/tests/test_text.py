"""Runs every test that `packs/text.py` declares against its functions as plain Python.

The SDK must be on the path. Each function is taken the way the server stores it: alone, with the imports of
the file and the functions it names, so a function that leans on anything else in the file fails here.
"""

import ast
import asyncio
import copy
import importlib.util
import inspect
import json
import pathlib
import unittest

PACK = pathlib.Path(__file__).parent.parent / "text.py"


def load_pack():
    spec = importlib.util.spec_from_file_location("text_pack", PACK)
    pack = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pack)
    return {name: value for name, value in vars(pack).items() if hasattr(value, "__selfmade__")}


FUNCTIONS = load_pack()
TREE = ast.parse(PACK.read_text(encoding="utf-8"))


def alone(name, replaced):
    """The function as stored: its definition, the imports, its dependencies or what replaces them."""
    definition = definition_of(name)
    imports = [node for node in TREE.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    scope = {}
    bare = copy.copy(definition)
    bare.decorator_list = []
    exec(compile(ast.Module([*imports, bare], []), str(PACK), "exec"), scope)
    for dependency in dependencies(name):
        scope[dependency] = replaced.get(dependency) or alone(dependency, {})
    return scope[name]


def definition_of(name):
    return next(node for node in TREE.body if getattr(node, "name", None) == name)


def dependencies(name):
    read = {node.id for node in ast.walk(definition_of(name)) if isinstance(node, ast.Name)}
    return (read & set(FUNCTIONS)) - {name}


def run(function, given):
    result = function(**given)
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    return list(result) if inspect.isgenerator(result) else result


def as_json(value):
    """What the server would record: tuples become lists."""
    return json.loads(json.dumps(value))


def fits(value, schema):
    """The few words of JSON Schema that the pack uses; any other is an error here."""
    kinds = {"number": (int, float), "string": str, "array": list, "object": dict}
    checks = {
        "type": lambda wanted: isinstance(value, kinds[wanted]),
        "minimum": lambda least: value >= least,
        "maximum": lambda most: value <= most,
    }
    return all(checks[word](wanted) for word, wanted in schema.items())


class Text(unittest.TestCase):
    def test_every_declared_test_holds(self):
        for name, function in FUNCTIONS.items():
            for number, test in enumerate(function.__selfmade__["tests"], start=1):
                with self.subTest(function=name, test=test.get("name", number)):
                    self.check(name, test)

    def check(self, name, test):
        mocks = {mock["function"]: lambda *_, answer=mock["output"]: answer for mock in test.get("mocks", [])}
        function = alone(name, mocks)
        self.assertLessEqual(set(mocks), dependencies(name), "a mock stands for nothing the function calls")
        ((kind, wanted),) = test["expect"].items()
        if kind == "error":
            with self.assertRaises(Exception) as caught:
                run(function, test["input"])
            self.assertEqual(type(caught.exception).__name__, wanted["type"])
            self.assertIn(wanted["message"], str(caught.exception))
            return
        got = as_json(run(function, test["input"]))
        if kind == "schema":
            self.assertTrue(fits(got, wanted), f"{got!r} does not fit {wanted}")
        else:
            self.assertIn(kind, ("output", "pins"))
            self.assertEqual(got, wanted)

    def test_every_function_is_documented_typed_and_tested(self):
        self.assertGreaterEqual(len(FUNCTIONS), 8)
        for name, function in FUNCTIONS.items():
            with self.subTest(name):
                signature = inspect.signature(function)
                described = inspect.getdoc(function)
                self.assertTrue(described.splitlines()[0].endswith("."))
                self.assertIsNot(signature.return_annotation, inspect.Signature.empty)
                for parameter in signature.parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty)
                    self.assertIn(f"    {parameter.name}: ", described)
                self.assertIn(len(function.__selfmade__["tests"]), range(2, 5))

    def test_declared_values_are_literals(self):
        for definition in TREE.body:
            for decorator in getattr(definition, "decorator_list", []):
                for keyword in getattr(decorator, "keywords", []):
                    with self.subTest(function=definition.name, keyword=keyword.arg):
                        ast.literal_eval(keyword.value)


if __name__ == "__main__":
    unittest.main()
