"""What BabyAGI gets wrong about calling, registering, triggers, logs and keys, shown right here.

The numbers are those of the table in docs/babyagi.md; what is not here is tested where the server is.
"""

import datetime
import importlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path

import real
import selfmade
import selfmade.babyagi as babyagi
from real import MODEL
from selfmade.babyagi import func


def rows(name):
    return func.get_logs(name)


class Calling(unittest.TestCase):
    def test_b1_every_way_of_calling_is_recorded(self):
        @babyagi.register_function()
        def b1_leaf(n):
            return n + 1

        @func.register_function(dependencies=["b1_leaf"])
        def b1_root(n):
            return b1_leaf(n)

        ways = [b1_leaf, babyagi.b1_leaf, func.b1_leaf, lambda n: func.execute_function("b1_leaf", n)]
        self.assertEqual([way(n) for n, way in enumerate(ways)], [1, 2, 3, 4])
        self.assertEqual(b1_root(5), 6)
        logged = rows("b1_leaf")
        self.assertEqual([row["params"] for row in logged], [{"n": n} for n in (0, 1, 2, 3, 5)])
        self.assertEqual(logged[-1]["parent_log_id"], rows("b1_root")[0]["id"])
        self.assertEqual((b1_leaf.__name__, b1_leaf.__wrapped__(1)), ("b1_leaf", 2))

    def test_b7_values_that_json_lacks_come_and_go(self):
        @babyagi.register_function()
        def b7_same(value):
            return value

        for value in ({1, 2}, b"x", datetime.datetime(2026, 1, 31), (1, 2), {1: 2}):
            self.assertEqual(b7_same(value), value)

        @babyagi.register_function()
        def b7_object():
            print("done all the same")
            return object()

        with (
            redirect_stdout(io.StringIO()) as printed,
            self.assertRaisesRegex(selfmade.RunRaised, "cannot leave the cell"),
        ):
            b7_object()
        self.assertEqual(printed.getvalue(), "done all the same\n")

    def test_b15_parameters_may_have_any_name(self):
        @babyagi.register_function()
        def b15(function_name, parent_log_id, executed_functions=None):
            return [function_name, parent_log_id]

        self.assertEqual(b15(function_name="a", parent_log_id=1), ["a", 1])

        @babyagi.register_function()
        def b15_none():
            return "no argument"

        self.assertEqual(func.executor.execute("b15_none", parent_log_id=7, triggered_by_log_id=8), "no argument")

    def test_b16_a_parameter_that_has_gone_is_not_asked_for(self):
        func.add_function("b16", code="def b16(x):\n    return x")
        func.update_function("b16", code="def b16():\n    return 'none'")
        self.assertEqual((func.b16(), func.get_function("b16")["input_parameters"]), ("none", []))

    def test_exceptions_keep_their_type(self):
        @babyagi.register_function(imports=["json"])
        def parse(text):
            return json.loads(text)  # noqa: F821

        with self.assertRaisesRegex(TypeError, "must be str"):
            parse(7)
        func.add_function("fails", code="def fails():\n    raise KeyError('k')")
        with self.assertRaises(KeyError):
            func.fails()

    def test_b27_calls_may_be_made_at_once(self):
        func.add_function("b27", code="def b27(n):\n    return n * n")
        with ThreadPoolExecutor(4) as threads:
            self.assertEqual(list(threads.map(func.b27, range(20))), [n * n for n in range(20)])
        self.assertEqual(len(rows("b27")), 20)


class Registering(unittest.TestCase):
    def test_b2_an_update_keeps_what_it_does_not_state(self):
        func.add_function("b2_leaf", code="def b2_leaf():\n    return 1")
        stated = {
            "dependencies": ["b2_leaf"],
            "imports": ["math"],
            "triggers": ["b2_leaf"],
            "metadata": {"owner": "ada"},
        }
        func.add_function("b2", code="def b2(x=0):\n    return b2_leaf()", **stated)
        func.update_function("b2", code="def b2(x=0):\n    return b2_leaf() + math.floor(1.5)")
        func.update_function(name="b2", metadata={"description": "Two."})
        b2 = func.get_function("b2")
        self.assertEqual((b2["dependencies"], b2["imports"], b2["triggers"]), (["b2_leaf"], ["math"], ["b2_leaf"]))
        self.assertEqual((b2["metadata"], func.b2()), ({"description": "Two.", "owner": "ada"}, 2))

    def test_b3_what_describes_a_function_leaves_it_whole_and_registering_it_again_changes_nothing(self):
        func.add_key("openai_api_key", "sk-of-the-tests")

        def register():
            func.add_function("b3_world", code="def b3_world():\n    return 'world'")
            func.add_function("b3_hello", code="def b3_hello():\n    return b3_world()", dependencies=["b3_world"])

        register()
        MODEL.rules[:] = [(("def b3_hello",), "Greets.")]
        with redirect_stdout(io.StringIO()):
            func.ai_description_generator("b3_hello")
        described = func.get_function("b3_hello")
        self.assertEqual((described["metadata"]["description"], described["dependencies"]), ("Greets.", ["b3_world"]))
        register()
        self.assertEqual((func.get_function("b3_hello"), func.b3_hello()), (described, "world"))

    def test_b3_registering_asks_no_model(self):
        MODEL.asked.clear()
        func.add_function("b3_quiet", code="def b3_quiet():\n    return 1")
        self.assertEqual(MODEL.asked, [])

    def test_b4_what_is_called_may_come_later(self):
        func.add_function("b4_main", code="def b4_main():\n    return b4_helper()", dependencies=["b4_helper"])
        func.add_function("b4_helper", code="def b4_helper():\n    return 4")
        self.assertEqual((func.b4_main(), func.get_function("b4_main")["dependencies"]), (4, ["b4_helper"]))

    def test_b5_the_same_again_is_the_same_version_and_any_change_is_a_new_one(self):
        def register(**more):
            func.add_function("b5", code="def b5():\n    return 5", dependencies=["b5_nowhere"], **more)
            return func.get_function("b5")["version"]

        self.assertEqual([register(), register()], [1, 1])
        self.assertEqual([register(metadata={"owner": "ada"}), register(key_dependencies=["b5_key"])], [2, 3])

    def test_b6_a_version_that_is_not_there_cannot_be_made_active(self):
        func.add_function("b6", code="def b6():\n    return 6")
        with self.assertRaisesRegex(selfmade.NotFound, "no version 99"):
            func.activate_function_version("b6", 99)
        self.assertEqual(func.b6(), 6)

    def test_b13_a_new_function_inherits_nothing_and_what_is_called_cannot_go(self):
        func.add_function("b13_leaf", code="def b13_leaf():\n    return 1")
        func.add_function("b13_user", code="def b13_user():\n    return b13_leaf()", dependencies=["b13_leaf"])
        func.db.remove_function("b13_user")
        func.db.remove_function("b13_leaf")
        self.assertIsNone(func.get_function("b13_leaf"))
        func.add_function("b13_imposter", code="def b13_imposter():\n    return 2")
        self.assertEqual(func.get_function("b13_imposter")["dependencies"], [])

    def test_b17_datetime_is_the_class_or_the_module_as_the_source_has_it(self):
        func.add_function("b17_class", code="def b17_class():\n    return datetime.now().year", imports=["datetime"])
        func.add_function(
            "b17_module", code="def b17_module():\n    return datetime.datetime.now().year", imports=["datetime"]
        )
        self.assertEqual(func.b17_class(), func.b17_module())

    def test_b19_what_cannot_be_done_is_an_exception(self):
        with self.assertRaisesRegex(selfmade.SelfmadeError, "neither a file .* nor a pack"):
            babyagi.load_functions("plugins/does_not_exist")
        with self.assertRaisesRegex(selfmade.BadRequest, "line 447"):
            func.load_function_pack("drafts/user_db")
        with self.assertRaisesRegex(selfmade.BadRequest, "the source defines `b19_other`"):
            func.add_function("b19", code="def b19_other():\n    pass")
        with self.assertRaises(selfmade.BadRequest):
            func.add_function("b19", code="def b19(:\n    pass")
        with self.assertRaises(selfmade.NotFound):
            func.update_function("b19", code="def b19():\n    pass")
        self.assertIsNone(func.get_function("b19"))
        with self.assertRaisesRegex(AttributeError, "b19"):
            func.b19()

    def test_what_babyagi_knows_nothing_of_is_stated_beside_its_own_arguments(self):
        @babyagi.register_function(
            {"description": "Far."}, network=["api.example.com"], timeout=20, triggers=["b1_leaf"]
        )
        def goes_out(x=1):
            return x

        grants = selfmade.server.functions.get("goes_out").content.grants
        self.assertEqual((grants["network"], grants["limits"]), (["api.example.com"], {"timeout_ms": 20000}))
        told = func.get_function("goes_out")
        self.assertEqual((told["metadata"]["description"], told["triggers"], goes_out()), ("Far.", ["b1_leaf"], 1))
        with self.assertRaisesRegex(selfmade.BadRequest, "netwrok"):
            func.add_function("misspelt", code="def misspelt():\n    pass", netwrok=["api.example.com"])

    def test_b24_a_function_does_not_take_the_place_of_the_framework(self):
        before = babyagi.load_functions

        @babyagi.register_function()
        def load_functions():
            return "mine"

        self.assertIs(babyagi.load_functions, before)
        self.assertEqual((load_functions(), func.execute_function("load_functions")), ("mine", "mine"))

    def test_b24_a_pack_does_not_overwrite_the_functions_of_another(self):
        with tempfile.TemporaryDirectory() as folder:
            pack = Path(folder, "b24_pack.py")
            pack.write_text(
                "from babyagi import register_function\n\n"
                "@register_function()\ndef gpt_call(prompt):\n    return prompt\n"
            )
            with self.assertRaisesRegex(selfmade.Conflict, "`gpt_call` is already defined"):
                babyagi.load_functions(str(pack))
            babyagi.load_functions(str(pack), prefix="b24.")
        self.assertEqual(func.execute_function("b24.gpt_call", "same"), "same")


class TriggersLogsKeys(unittest.TestCase):
    def test_b12_triggers_are_added_listed_from_both_ends_and_waited_for(self):
        func.add_function("b12_first", code="def b12_first():\n    print('first')\n    return 1")
        func.add_function("b12_second", code="def b12_second(n):\n    print('second')\n    return n + 1")
        func.add_function(
            "b12_third", code="def b12_third(n):\n    print('third')\n    return n + 1", triggers=["b12_second"]
        )
        func.add_trigger("b12_second", "b12_first")
        self.assertEqual(func.get_triggers_for_function("b12_second"), ["b12_first"])
        self.assertEqual(func.db.get_triggers_for_function("b12_first"), ["b12_second"])
        with redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(func.b12_first(), 1)
        self.assertEqual(printed.getvalue(), "first\nsecond\nthird\n")
        self.assertEqual([row["output"] for row in rows("b12_third")], [3])

    def test_a_trigger_whose_target_lacks_arguments_is_not_waited_for(self):
        func.add_function("gives", code="def gives():\n    return 1")
        func.add_function("takes_two", code="def takes_two(a, b):\n    return a + b", triggers=["gives"])
        self.assertEqual((func.gives(), rows("takes_two")), (1, []))

    def test_functions_that_trigger_each_other_run_once_each(self):
        func.add_function("ping", code="def ping(x=0):\n    return x + 1", triggers=["pong"])
        func.add_function("pong", code="def pong(x=0):\n    return x + 1", triggers=["ping"])
        self.assertEqual(func.ping(), 1)
        self.assertEqual([row["output"] for row in rows("pong")], [2])

    def test_b18_one_piece_of_work_is_one_bundle(self):
        func.add_function("b18_leaf", code="def b18_leaf(n):\n    return n")
        func.add_function(
            "b18_root",
            code="def b18_root():\n    return sum(func.b18_leaf(n) for n in range(3))",
            dependencies=["b18_leaf"],
        )
        func.add_function("b18_after", code="def b18_after(n):\n    return n", triggers=["b18_root"])
        func.b18_root()
        after = rows("b18_after")[0]
        bundle = func.db.get_log_bundle(after["id"])
        self.assertEqual(
            [row["function_name"] for row in bundle], ["b18_root", "b18_leaf", "b18_leaf", "b18_leaf", "b18_after"]
        )
        self.assertTrue(all(row["parent_log_id"] == bundle[0]["id"] for row in bundle[1:]))
        self.assertEqual(after["triggered_by_log_id"], bundle[0]["id"])
        self.assertEqual(func.db.get_logs(triggered_by_log_id=bundle[0]["id"]), [after])
        with self.assertRaises(selfmade.NotFound):
            func.db.get_log_bundle("17")

    def test_rows_that_a_program_adds_are_its_own(self):
        number = func.db.add_log("somebody", "began", datetime.datetime.now(), params={"x": 1}, log_type="started")
        func.db.update_log(number, output=2, log_type="success", message="done")
        self.assertEqual([(row["output"], row["log_type"]) for row in rows("somebody")], [(2, "success")])
        with self.assertRaises(TypeError):
            func.db.update_log(number, ouput=2)
        with self.assertRaises(selfmade.SelfmadeError):
            func.db.update_log(999, output=1)

    def test_b8_a_function_gets_the_keys_that_it_declares_and_no_others(self):
        func.add_key("b8_key", "value-of-b8")
        func.add_function(
            "b8_with", code="def b8_with():\n    return len(globals()['b8_key'])", key_dependencies=["b8_key"]
        )
        func.add_function("b8_without", code="def b8_without():\n    return 'b8_key' in globals()")
        self.assertEqual((func.b8_with(), func.b8_without()), (11, False))
        func.add_function("b8_unset", code="def b8_unset():\n    return 1", key_dependencies=["b8_never_set"])
        with self.assertRaisesRegex(selfmade.RunFailed, "b8_never_set"):
            func.b8_unset()

    def test_b9_values_of_keys_come_back_to_nobody(self):
        func.add_key("b9_key", "value-of-b9")
        self.assertEqual(
            (func.get_all_secret_keys()["b9_key"], func.db.get_secret_key("b9_key")), ("[secret b9_key]",) * 2
        )
        func.add_function("b9", code="def b9(x):\n    print(b9_key)\n    return b9_key", key_dependencies=["b9_key"])
        with redirect_stdout(io.StringIO()) as printed:
            func.b9("value-of-b9")
        self.assertEqual(printed.getvalue(), "[secret b9_key]\n")
        self.assertNotIn("value-of-b9", str(func.get_logs()))
        func.add_function("b9_thief", code="def b9_thief():\n    return func.get_all_secret_keys()")
        with self.assertRaisesRegex(selfmade.RunRaised, "declares"):
            func.b9_thief()


class Modules(unittest.TestCase):
    def test_b14_there_is_one_framework_under_all_its_names(self):
        babyagi.install()
        names = [
            "babyagi",
            "babyagi.functionz.core.framework",
            "functionz",
            "functionz.core.framework",
            "PythonFunc.core.framework",
        ]
        self.assertEqual({id(importlib.import_module(name).func) for name in names}, {id(func)})
        self.assertIs(babyagi.get_func_instance(), func)
        from babyagi import create_app, load_functions, register_function  # noqa: F401

    def test_b25_b26_another_folder_is_the_same_brain_and_no_package_is_needed(self):
        func.add_function("b25", code="def b25():\n    return {'litellm': 'no package of it'}")
        script = (
            "import selfmade.babyagi as babyagi, sys\n"
            "print(babyagi.b25()['litellm'], 'flask' in sys.modules, 'sqlalchemy' in sys.modules)"
        )
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", script], cwd=folder, env=os.environ, capture_output=True, text=True, timeout=600
            )
        self.assertEqual((done.stdout, done.stderr), ("no package of it False False\n", ""))

    def test_everything_is_shown_as_one_text(self):
        func.add_function("shown", code="def shown(a: int):\n    return a", metadata={"description": "Shown."})
        text = func.display()
        self.assertIn("shown, version 1 of ", text)
        self.assertIn(
            "  input_parameters: a (int)\n  output_parameters: output (Any)\ndef shown(a: int):\n    return a", text
        )

    def test_a_second_framework_is_a_view_of_the_same_brain(self):
        with self.assertWarns(UserWarning):
            other = babyagi.Functionz(db_path="sqlite:///elsewhere.db")
        func.add_function("seen", code="def seen():\n    return 'here'")
        self.assertEqual(other.seen(), "here")


assert real.HOME.is_dir()

if __name__ == "__main__":
    unittest.main()
