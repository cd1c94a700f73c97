"""What is stored of a decorated function: itself, what it imports, what was declared."""

import importlib.util
import linecache
import math
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import selfmade
from selfmade import _source


def imported(test, text):
    """The module of a file with this text, and the file."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    path = pathlib.Path(folder.name) / "written.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, path


def in_a_cell(text, **scope):
    """The names of a notebook's cell, whose source is where IPython puts it."""
    name = f"<ipython-input-{len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": "__main__", "selfmade": selfmade, **scope}
    exec(compile(text, name, "exec"), names)
    return names


class Files(unittest.TestCase):
    def test_the_definition_comes_with_the_imports_it_uses(self):
        module, _ = imported(
            self,
            "import re, json\n"
            "import xml.etree.ElementTree\n"
            "from math import pi as circle, tau\n"
            "import selfmade\n\n"
            "@selfmade.function(timeout=2 + 3)\n"
            "def area(r: float, text: str = str(tau)) -> float:\n"
            '    """Work out an area."""\n'
            "    # By the book.\n"
            "    xml.etree.ElementTree.fromstring(text)\n"
            "    return circle * r * r\n\n"
            "print\n",
        )
        self.assertEqual(
            module.area.source,
            "import selfmade\n"
            "import xml.etree.ElementTree\n"
            "from math import pi as circle, tau\n\n"
            "@selfmade.function(timeout=5)\n"
            "def area(r: float, text: str = str(tau)) -> float:\n"
            '    """Work out an area."""\n'
            "    # By the book.\n"
            "    xml.etree.ElementTree.fromstring(text)\n"
            "    return circle * r * r\n",
        )

    def test_decorated_functions_that_it_calls_are_dependencies(self):
        module, _ = imported(
            self,
            "import selfmade\n\n"
            "@selfmade.function\ndef one():\n    return 1\n\n"
            "uno = one\n\n"
            "@selfmade.function(dependencies=['load@3'])\ndef two():\n"
            "    return one() + uno() + load() + stored_only()\n",
        )
        source, called = module.two.read()
        self.assertEqual({function.name for function in called}, {"one"})
        self.assertIn("dependencies=['load@3', 'one as uno']", source)

    def test_what_it_leans_on_is_named(self):
        module, _ = imported(
            self,
            "import selfmade\nglobals().update(LIMIT=object(), OTHER=len)\n\n"
            "@selfmade.function\ndef leans():\n    return LIMIT, OTHER\n",
        )
        with self.assertRaisesRegex(selfmade.NoSource, "`leans` uses `LIMIT` from around it"):
            module.leans.source

    def test_constants_helpers_and_classes_that_it_uses_come_with_it(self):
        module, _ = imported(
            self,
            "from __future__ import annotations\nimport re\nimport selfmade\nfrom typing import NamedTuple\n\n"
            "DAY = 24 * 60  # minutes\nWEEK = 7 * DAY\nUNUSED = 1\n\n"
            "@selfmade.function\ndef rows(name: str) -> int:\n    return label(Row(name)) + one()\n\n"
            "class Row(NamedTuple):\n    name: str\n    # inside\n\n"
            "def label(row: Row) -> int:\n    return len(re.sub('a', 'b', row.name)) * WEEK\n    # after\n\n"
            "@selfmade.function\ndef one():\n    return 1\n\n"
            "if True:\n    STATE = open('/dev/null')\n\n"
            "@selfmade.function\ndef reads():\n    return STATE\n",
        )
        source, called = module.rows.read()
        self.assertEqual([function.name for function in called], ["one"])
        self.assertEqual(
            source,
            "from __future__ import annotations\nimport selfmade\nimport re\nfrom typing import NamedTuple\n"
            "DAY = 24 * 60  # minutes\nWEEK = 7 * DAY\n"
            "class Row(NamedTuple):\n    name: str\n    # inside\n"
            "def label(row: Row) -> int:\n    return len(re.sub('a', 'b', row.name)) * WEEK\n    # after\n\n"
            "@selfmade.function()\ndef rows(name: str) -> int:\n    return label(Row(name)) + one()\n",
        )
        # Whether it can be stored is for the server to say.
        self.assertIn("STATE = open", module.reads.source)

    def test_imports_may_be_left_to_the_cell(self):
        module, _ = imported(
            self,
            "import selfmade\n\nwith selfmade.imports():\n    import json\n    import no_such_package as missing\n\n"
            "@selfmade.function\ndef f(x):\n    return missing.of(json.loads(x))\n",
        )
        self.assertEqual(
            module.f.source.partition("\n\n")[0], "import selfmade\nimport json\nimport no_such_package as missing"
        )

    def test_a_missing_package_is_told_with_what_to_do(self):
        import subprocess

        for script in ("import selfmade\nimport no_such_package", "import selfmade\nnone = 1 / 0"):
            told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stderr
            self.assertEqual("`with selfmade.imports():`" in told, "no_such" in script, told)

    def test_annotations_may_name_what_is_around(self):
        module, _ = imported(
            self,
            "import selfmade\nclass Row(dict): pass\n\n"
            "@selfmade.function\ndef first(rows: list[Row]) -> Row:\n    return rows[0]\n",
        )
        self.assertIn("def first(rows: list[Row])", module.first.source)

    def test_what_is_its_own_hides_what_is_around(self):
        module, _ = imported(
            self,
            "import selfmade\nn = 1\n\n@selfmade.function\n"
            "def own(n: int):\n    def inner(k):\n        return k + n\n    return inner(n)\n",
        )
        self.assertIn("def inner(k):", module.own.source)

    def test_a_file_that_was_changed_since_is_not_read(self):
        module, path = imported(self, "import selfmade\n\n@selfmade.function\ndef one():\n    return 1\n")
        path.write_text("# A line more.\n" + path.read_text())
        with self.assertRaisesRegex(selfmade.NoSource, "was changed since it was imported"):
            module.one.source

    def test_functions_inside_functions_are_dedented_and_their_scope_is_seen(self):
        factor = 3

        @selfmade.function
        def area(r: float) -> float:
            return math.pi * r

        @selfmade.function
        def leans() -> int:
            return factor

        @selfmade.function
        def calls() -> float:
            return area(1.0)

        self.assertIn("import math\n", area.source)
        self.assertIn("\ndef area(r: float) -> float:\n    return math.pi * r\n", area.source)
        self.assertEqual(calls.read()[1], [area])
        with self.assertRaisesRegex(selfmade.NoSource, "`factor`"):
            leans.source


class Renamed(unittest.TestCase):
    def test_a_definition_gets_another_name_also_where_it_calls_itself(self):
        text = 'async def fact(n):\n    ä = "fact"; return ä if n < 2 else (await fact(n - 1), [fact for _ in ä])\n'
        wanted = 'async def product(n):\n    ä = "fact"; return ä if n < 2 else (await product(n - 1), [product for _ in ä])\n'
        self.assertEqual(_source.renamed(text, "product"), wanted)
        self.assertEqual(_source.renamed(text, "fact"), text)

    def test_what_only_looks_like_its_name_stays(self):
        text = "def f(x):\n    f = x.f\n    return f, def_f\n"
        self.assertEqual(_source.renamed(text, "g"), "def g(x):\n    f = x.f\n    return f, def_f\n")
        with self.assertRaisesRegex(selfmade.NoSource, "parameter of that name"):
            _source.renamed("def f(n):\n    return f(n - 1), (lambda f: f)(n)\n", "g")


class Consoles(unittest.TestCase):
    def test_a_cell_of_a_notebook_has_its_imports_in_other_cells(self):
        import email.message
        import json

        scope = {"email": email, "j": json, "floor": math.floor}
        names = in_a_cell(
            "@selfmade.function\ndef f(x):\n    return j.dumps(floor(x)), email.message.Message()\n", **scope
        )
        self.assertEqual(
            names["f"].source.partition("\n\n")[0],
            "import selfmade\nfrom math import floor\nimport email.message\nimport json as j",
        )

    def test_a_cell_of_a_notebook_has_its_constants_and_helpers_in_other_cells(self):
        in_a_cell("TIMES = [1]\n")
        constants = in_a_cell("TIMES = [2]\nKEY = str(TIMES)\n")
        in_a_cell("TIMES = [3]\n")
        other = in_a_cell("def twice(n):\n    return n * TIMES + KEY\n", TIMES=[2])
        used = {"TIMES": constants["TIMES"], "KEY": constants["KEY"], "twice": other["twice"]}
        names = in_a_cell("@selfmade.function\ndef f(x):\n    return twice(x)\n", **used)
        # As it is written, whatever the value: the server says whether that can be stored.
        written = "TIMES = [2]\nKEY = str(TIMES)\ndef twice(n):\n    return n * TIMES + KEY\n\n@selfmade"
        self.assertIn(written, names["f"].source)
        names = in_a_cell("@selfmade.function\ndef f(x):\n    return SECRET_OF_MINE\n", SECRET_OF_MINE="hunter2")
        with self.assertRaisesRegex(selfmade.NoSource, "`f` uses `SECRET_OF_MINE` from around it"):
            names["f"].source

    def test_what_changes_a_constant_is_sent_with_it(self):
        module, _ = imported(
            self,
            "import selfmade\nTABLE = {}\nfor key in 'ab':\n    TABLE[key] = key\n\n"
            "@selfmade.function\ndef f(x):\n    return TABLE[x]\n",
        )
        self.assertIn("TABLE = {}\nfor key in 'ab':\n    TABLE[key] = key\n", module.f.source)

    def test_where_python_forgets_the_source_the_history_has_it(self):
        typed = ["import selfmade", "@selfmade.function", "def f(x):", "    y = x + 1", "    return y", "", "f(1)"]
        names = {"__name__": "__main__", "selfmade": selfmade}
        exec(compile("@selfmade.function\ndef f(x):\n    y = x + 1\n    return y\n", "<stdin>", "exec"), names)
        older = ["def f(x):", "    return x", ""]
        with history([*older, *typed]):
            self.assertTrue(names["f"].source.endswith("def f(x):\n    y = x + 1\n    return y\n"))
        with history(older), self.assertRaises(selfmade.NoSource):
            names["f"].source

    def test_without_a_source_it_says_what_to_do(self):
        names = {"__name__": "__main__", "selfmade": selfmade}
        exec("@selfmade.function\ndef f(x):\n    return x\n", names)
        with self.assertRaisesRegex(selfmade.NoSource, "`selfmade.functions.put"):
            names["f"].source


def history(lines):
    """Python's console, with these lines typed."""
    readline = types.SimpleNamespace(
        get_current_history_length=lambda: len(lines),
        get_history_item=lambda number: lines[number - 1] if 0 < number <= len(lines) else None,
    )
    console = mock.patch.dict(sys.modules, {"readline": readline})
    prompt = mock.patch.object(sys, "ps1", ">>> ", create=True)

    class Both:
        def __enter__(self):
            console.start(), prompt.start()

        def __exit__(self, *_):
            console.stop(), prompt.stop()

    return Both()


if __name__ == "__main__":
    unittest.main()
