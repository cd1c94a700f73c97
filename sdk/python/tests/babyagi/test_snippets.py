"""What BabyAGI's README prints, and what articles print about it, run as scripts by `python -m selfmade.babyagi`.

The README's snippets are taken from the package, so they are run to the letter.
"""

import importlib
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from teaching import teach
from test_examples import Example

from real import BABYAGI, MODEL
import selfmade
from selfmade._connection import server
from selfmade.babyagi import func

KEY = "sk-of-the-tests"


def printed_in_the_readme():
    """The Python in it, in order."""
    (metadata,) = BABYAGI.glob("babyagi-*.dist-info/METADATA")
    blocks = re.findall(
        r"^( *)(```|~~~)python\n(.*?)^ *\2$", metadata.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [textwrap.dedent(text) for _, _, text in blocks]


def the_one_with(words):
    (text,) = [text for text in printed_in_the_readme() if words in text]
    return text


def run(text, folder):
    """Runs a script as somebody who saved it to a file does; what it printed."""
    script = Path(folder, "snippet.py")
    script.write_text(textwrap.dedent(text), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "selfmade.babyagi", script.name],
        cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise AssertionError(f"{text}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Snippet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        func.add_key("openai_api_key", KEY)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_printed(self, text):
        return run(text, self.folder)


class Readme(Snippet):
    def test_none_is_left_out(self):
        self.assertEqual(len(printed_in_the_readme()), 7)

    def test_quick_start_and_basic_usage(self):
        blocks = [text for text in printed_in_the_readme() if "create_app" in text]
        for text, printed in zip(blocks, ("", "Hello world!\n"), strict=True):
            script = Path(self.folder, "snippet.py")
            script.write_text(text, encoding="utf-8")
            with Example(script) as example:
                self.assertEqual(example.get("/dashboard")[0], 302)
            self.assertEqual(example.printed, printed)

    def test_function_metadata(self):
        self.run_printed(the_one_with("def cylinder_volume"))
        stored = func.get_function("cylinder_volume")
        self.assertEqual((stored["dependencies"], stored["imports"]), (["circle_area"], ["math"]))
        self.assertIn("volume of a cylinder", stored["metadata"]["description"])
        func.add_function("circle_area", code="def circle_area(radius):\n    return 3 * radius * radius")
        self.assertEqual(func.cylinder_volume(2, 5), 60)

    def test_function_loading(self):
        pack = Path(self.folder, "path/to/your/custom_functions.py")
        pack.parent.mkdir(parents=True)
        pack.write_text(
            "from functionz import register_function\n\n"
            '@register_function(name="custom", secrets=["openai_api_key"])\n'
            "def custom():\n    return len(openai_api_key)\n",
            encoding="utf-8",
        )
        self.run_printed(the_one_with("path/to/your/custom_functions.py"))
        self.assertEqual(func.custom(), len(KEY))

    def test_key_dependencies(self):
        self.run_printed(the_one_with("your_openai_api_key"))
        self.assertIn("openai_api_key", func.get_all_secret_keys())
        func.add_key("openai_api_key", KEY)

    def test_a_self_building_agent(self):
        MODEL.rules.clear()
        teach(3)
        MODEL.rules.insert(0, (("extract the required parameters", "ESPN"), '{"parameters": {"n": 4}}'))
        self.run_printed(the_one_with("ESPN"))
        self.assertEqual(func.get_logs("process_user_input")[-1]["output"], 16)
        self.run_printed(the_one_with("babyagi.self_build("))
        self.assertEqual([one["output"] for one in func.get_logs("self_build")[-1]["output"]], [9, 16, 25])


class Articles(Snippet):
    def test_functions_are_registered_by_name_with_their_secrets(self):
        func.add_key("WEATHER_KEY", "value-of-weather")
        text = """
            from functionz import register_function

            @register_function(
                name="forecast",
                imports=["json"],
                dependencies=[],
                secrets=["WEATHER_KEY"],
                metadata={"description": "Tells the weather."},
            )
            def forecast(city: str) -> dict:
                return json.loads('{"city": "%s", "key": %d}' % (city, len(WEATHER_KEY)))

            print(forecast("Turin"))
        """
        self.assertEqual(self.run_printed(text), "{'city': 'Turin', 'key': 16}\n")
        self.assertEqual(server.functions.get("forecast").content.grants["secrets"], ["WEATHER_KEY"])

    def test_our_own_guide(self):
        guide = Path(__file__).parents[4] / "docs" / "babyagi.md"
        first, second = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(self.run_printed(first), "Hello world!\n")
        self.run_printed(second)
        self.run_printed(second.replace(": fine", ": rain"))
        checked = next(server.events.stream("run.finished", source="check", after=0))
        self.assertEqual(checked.data["output"], "checked forecast")

    def test_a_decorator_without_arguments_needs_no_parentheses(self):
        text = """
            from functionz import register_function

            @register_function
            def plain(n):
                return n + 1

            print(plain(1))
        """
        self.assertEqual(self.run_printed(text), "2\n")

    def test_a_function_may_be_stored_under_another_name_than_that_of_its_def(self):
        text = """
            import babyagi

            @babyagi.register_function(name="factorial")
            def _fact(n):
                return 1 if n < 2 else n * _fact(n - 1)

            print(_fact(5), babyagi.factorial(4), _fact.__name__)
        """
        self.assertEqual(self.run_printed(text), "120 24 factorial\n")

    def test_a_trigger_answers_the_update_of_a_function_if_its_conditions_hold(self):
        text = """
            from functionz import func, register_function, register_trigger

            @register_function(name="inspect_change")
            def inspect_change(function_name):
                return f"looked at {function_name}"

            @register_function(name="pricing", metadata={"description": "Prices.", "auto_test": %s})
            def pricing(amount):
                return amount * %d

            register_trigger(
                event_type="function_updated",
                target_function="pricing",
                trigger_function="inspect_change",
                conditions={"auto_test": True},
            )
        """
        self.run_printed(text % (False, 1))
        self.run_printed(text % (False, 2))
        self.run_printed(text % (True, 3))
        trigger = "inspect_change_on_function_updated_of_pricing"
        self.assertEqual(server.triggers.get(trigger).content.source, "pricing")
        finished = next(server.events.stream("run.finished", source="inspect_change", after=0))
        self.assertEqual(finished.data["output"], "looked at pricing")
        # Events are dealt with in their order, so what came of the earlier changes is known by now.
        self.assertEqual(len([one for one in server.triggers.firings(trigger) if one.run]), 1)
        # The same again is the same version, so nothing happened.
        self.run_printed(text % (True, 3))
        self.assertEqual((server.triggers.get(trigger).version, func.get_function("pricing")["version"]), (1, 3))


    def test_conditions_are_values_lists_nothing_or_an_expression(self):
        text = """
            from functionz import Functionz, func, register_function, register_trigger

            @register_function()
            def grade(n):
                return {"score": n, "level": "high" if n > 1 else "low"}

            @register_function()
            def keep(graded):
                return graded["score"]

            register_trigger("function_executed", grade, keep, {"level": ["high", "top"], "output.error": None})
            register_trigger("run.finished", "grade", "keep", "event.output.score > 1", name="keep_by_score")
            func.register_trigger("function_added_or_updated", trigger_function=keep, conditions={"name": "no such"})
            for n in range(4):
                func.grade(n)
        """
        self.run_printed(text)
        for trigger in ("keep_on_function_executed_of_grade", "keep_by_score"):
            kept = {1: [], 2: [], 3: []}
            for event in server.events.stream("run.finished", source="keep", after=0):
                kept[event.data["output"]].append(event)
                if len(kept[2]) == len(kept[3]) == 2:
                    break
            self.assertEqual(kept[1], [])
            self.assertEqual(len([one for one in server.triggers.firings(trigger) if one.run]), 2)

    def test_what_cannot_be_a_condition_or_an_event_is_refused(self):
        func.add_function("refused_target", code="def refused_target(x):\n    return x")
        with self.assertRaisesRegex(TypeError, "an expression such as"):
            func.register_trigger("function_updated", None, "refused_target", {"code": len})
        with self.assertRaisesRegex(selfmade.SelfmadeError, "`function_renamed` is not an event kind"):
            func.register_trigger("function_renamed", None, "refused_target")
        with self.assertRaisesRegex(TypeError, "trigger_function"):
            func.register_trigger("function_updated", "refused_target")


class Names(unittest.TestCase):
    def test_every_name_that_babyagi_has_is_there(self):
        """Found on the objects themselves: what is not there is looked for among stored functions."""
        sources = {path.stem: path.read_text(encoding="utf-8") for path in BABYAGI.glob("babyagi/functionz/*/*.py")}
        for module, of in (("framework", func), ("db_router", func.db)):
            names = set(re.findall(r"^    def ([a-z]\w*)\(", sources[module], re.MULTILINE))
            self.assertGreater(len(names), 10)
            self.assertEqual(names - set(dir(type(of))), set())
        public = (BABYAGI / "babyagi" / "__init__.py").read_text(encoding="utf-8")
        names = set(re.findall(r"^def ([a-z]\w*)\(", public, re.MULTILINE)) - {"print_babyagi"}
        for module in ("selfmade.babyagi", "selfmade.babyagi.functionz"):
            self.assertEqual(names - set(dir(importlib.import_module(module))), set())


if __name__ == "__main__":
    unittest.main()
