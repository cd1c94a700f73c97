"""Every function of BabyAGI's packs that needs no outside service, run as it is."""

import io
import json
import unittest
from contextlib import redirect_stdout

from model_server import tool_call
from teaching import teach

import selfmade
import selfmade.babyagi as babyagi
from real import MODEL, PACKS
from selfmade.babyagi import func

# Each asks a vendor's service, or searches and reads the web on its way.
OUTSIDE = {
    "drafts/generate_function": {"generate_function_from_description", "handle_api_documentation"},
    "drafts/generate_own_function": {"generate_function_from_description"},
    "plugins/airtable": {
        "batch_create_records",
        "batch_delete_records",
        "batch_upsert_records",
        "create_record",
        "delete_record",
        "get_all_records",
        "get_dynamic_records",
        "get_record_by_id",
        "init_airtable",
        "update_record",
    },
    "plugins/augie": {"create_and_wait_for_video", "create_augie", "generate_augie_params", "get_augie_status"},
    "plugins/e2b": {"chat_with_llm_and_execute", "e2b_llm_to_chart", "execute_code_in_sandbox", "save_chart"},
    "plugins/firecrawl": {"check_crawl_status", "crawl_website", "scrape_website"},
    "plugins/harmonic": {"harmonic_enrich_company", "harmonic_enrich_person_by_id", "harmonic_search_companies"},
    "plugins/payman": {
        "approve_task_submission",
        "create_task",
        "get_all_tasks",
        "get_task_by_id",
        "get_task_submissions",
        "reject_task_submission",
        "store_payman_api_keys",
    },
    "plugins/serpapi": {"serpapi_search_v2"},
    "plugins/voilanorbert": {"search_contact_by_domain", "search_contact_by_name_domain"},
    "plugins/wokelo": {
        "check_report_status",
        "create_industry_snapshot",
        "download_report",
        "generate_industry_report",
        "get_auth_token",
    },
}

_run: set[str] = set()
_classes: set[str] = set()


def call(name, *args, **kwargs):
    """What a function of a pack returns; what it prints is kept from the screen."""
    _run.add(name)
    with redirect_stdout(io.StringIO()):
        return getattr(babyagi, name)(*args, **kwargs)


class Packs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _classes.add(cls.__name__)
        func.add_key("openai_api_key", "sk-of-the-tests")
        func.add_key("OPENAI_API_KEY", "sk-of-the-tests")
        for pack in (
            "choose_or_create_function",
            "code_writing_functions",
            "generate_function",
            "react_agent",
            "self_build",
            "self_build2",
        ):
            babyagi.load_functions(f"drafts/{pack}")
        func.add_function(
            "shout", code="def shout(text: str):\n    return text.upper()", metadata={"description": "In capitals."}
        )

    def setUp(self):
        MODEL.rules.clear()
        MODEL.asked.clear()


class DefaultFunctions(Packs):
    def test_a_function_is_added_changed_looked_at_and_run(self):
        code = "def twice(n: int) -> int:\n    return 2 * n"
        self.assertIs(call("add_new_function", "twice", code, {"description": "Doubles."}), True)
        self.assertEqual(call("execute_function_wrapper", "twice", 4), 8)
        self.assertEqual(call("execute_function_wrapper", "twice", n=5), 10)
        shown = call("get_function_wrapper", "twice")
        self.assertEqual((shown["code"].strip(), shown["metadata"]["description"]), (code, "Doubles."))
        self.assertIsNone(call("get_function_wrapper", "nobody"))
        call("add_new_function", "twice", "def twice(n):\n    return n + n")
        versions = call("get_function_versions_wrapper", "twice")
        self.assertEqual([(one["version"], one["is_active"]) for one in versions], [(1, False), (2, True)])
        call("activate_function_version_wrapper", "twice", 1)
        self.assertEqual(func.get_function("twice")["version"], 1)
        self.assertEqual(call("function_added_or_updated", "added", "twice"), "twice")
        self.assertIsNone(call("function_added_or_updated", "added", "nobody"))
        self.assertIn("twice", {one["name"] for one in call("get_all_functions_wrapper")})
        self.assertIn("return 2 * n", call("display_functions_wrapper"))

    def test_keys_triggers_logs_and_imports(self):
        call("add_key_wrapper", "some_key", "a-value-of-a-key")
        self.assertEqual(call("get_all_secret_keys")["some_key"], "[secret some_key]")
        func.add_function("heard", code="def heard(text):\n    return text + '!'", imports=["math"])
        call("add_trigger_wrapper", "heard", "shout")
        self.assertEqual(call("shout", "hi"), "HI")
        logs = call("get_logs_wrapper", "heard")
        self.assertEqual((logs[-1]["output"], logs[-1]["params"]), ("HI!", {"text": "HI"}))
        self.assertIn({"name": "math", "source": "external", "lib": None}, call("get_all_imports_wrapper"))
        self.assertNotIn("a-value-of-a-key", str(func.get_logs()))
        func.db.remove_function("heard")

    def test_the_folder_of_a_cell_is_its_own(self):
        found = call("get_full_directory_contents_cleaned")
        self.assertEqual(set(found), {"current_directory", "directory_structure"})


class AiFunctions(Packs):
    def test_the_model_is_asked_with_the_key_that_the_server_holds(self):
        MODEL.rules.append((("capital of France",), "Paris"))
        self.assertEqual(call("gpt_call", "What is the capital of France?"), "Paris")
        path, key, request = MODEL.asked[-1]
        self.assertEqual(
            (path, key, request["model"]), ("/v1/chat/completions", "Bearer sk-of-the-tests", "gpt-4-turbo")
        )

    def test_descriptions_are_written_where_there_is_none_and_nothing_else_changes(self):
        func.add_function("plain", code="def plain():\n    return shout('x')", dependencies=["shout"])
        MODEL.rules.append((("def plain",), "Says x in capitals."))
        self.assertEqual(call("description_writer", "def plain(): …"), "Says x in capitals.")
        self.assertIn("has been generated", call("ai_description_generator", "plain"))
        plain = func.get_function("plain")
        self.assertEqual((plain["metadata"]["description"], plain["dependencies"]), ("Says x in capitals.", ["shout"]))
        self.assertIn("already has", call("ai_description_generator", "plain"))
        self.assertIsNone(call("generate_missing_descriptions"))
        self.assertTrue(all(one["metadata"]["description"] for one in func.get_all_functions()))

    def test_embeddings(self):
        self.assertEqual(call("embed_input", "tease")[:2], [1.0, 2.0])
        self.assertEqual(call("embed_function_description", "shout"), call("embed_input", "In capitals."))
        self.assertIsNone(call("generate_missing_embeddings"))
        # The file with embeddings went with the cell that wrote it.
        self.assertEqual(call("find_similar_function", "loud"), [])

    def test_a_function_is_chosen(self):
        MODEL.rules.append((("Which functions",), "shout"))
        chosen = call("choose_function", "make it loud")
        self.assertEqual(chosen["choice"], "shout")
        self.assertIn("shout", {one["name"] for one in chosen["functions"]})

    def test_b22_chatting_calls_functions_and_says_what_they_require(self):
        func.add_function("undescribed", code="def undescribed(a: int, b: int = 2):\n    return a + b")
        said = iter([tool_call("undescribed", a=40), {"content": "It is 42."}])
        MODEL.rules.append((("add them",), lambda request: next(said)))
        history = [{"role": "user", "message": "add them"}]
        self.assertEqual(call("chat_with_functions", history, ["undescribed"]), "It is 42.")
        tool = MODEL.asked[0][2]["tools"][0]["function"]
        self.assertEqual(tool["parameters"]["required"], ["a"])
        self.assertEqual(MODEL.asked[1][2]["messages"][-1]["content"], "42")


class Drafts(Packs):
    def test_an_agent_goes_through_functions_until_it_has_an_answer(self):
        said = iter([tool_call("shout", text="hi"), {"content": "I looked. Answer: HI"}])
        MODEL.rules.append((("chain-of-thought",), lambda request: next(said)))
        self.assertIn("Final Answer:\nHI", call("react_agent", "Shout hi"))

    def test_choosing_a_function_that_is_there(self):
        MODEL.rules += [
            (
                ("decide whether an existing function",),
                json.dumps({"use_existing_function": True, "function_name": "shout"}),
            ),
            (('single key "parameters"',), json.dumps({"parameters": {"text": "hi"}})),
            (("generating relevant and distinct queries",), json.dumps({"queries": ["shout hi"]})),
        ]
        self.assertEqual(call("choose_or_create_function", "shout hi")["execution_result"], "HI")
        made = call("generate_and_process_queries", "somebody loud", 1)
        self.assertEqual(made["results"][0]["result"], "HI")
        self.assertEqual(MODEL.asked[0][2]["response_format"]["json_schema"]["name"], "FunctionDecision")

    def test_generating_a_function_step_by_step(self):
        suggestion = {"reusable_functions": ["shout"], "reference_functions": []}
        api = {"name": "none", "purpose": "nothing", "endpoints": []}
        made = {
            "name": "whisper",
            "code": "def whisper(text):\n    return text.lower()",
            "metadata": {"description": "Quietly."},
        }
        MODEL.rules += [
            (("FunctionSuggestion",), json.dumps(suggestion)),
            (("require external APIs",), json.dumps(api)),
            (("Generate a complete function",), json.dumps(made)),
            ((), json.dumps(suggestion)),
        ]
        fetched = call("fetch_existing_functions", "whisper")
        self.assertIn("shout", fetched["existing_functions"])
        analysed = call("analyze_internal_functions", "whisper", fetched["existing_functions"], [])
        self.assertEqual(analysed["reusable_functions"], ["shout"])
        codes = call("fetch_function_codes", ["shout"], [])
        self.assertIn("upper", codes["function_codes"]["shout"])
        self.assertEqual(call("determine_required_external_apis", "whisper", [])["external_apis"], [api])
        final = call("generate_final_function_code", "whisper", codes["function_codes"], {}, [], [])
        self.assertTrue(call("add_function_to_database", final["combined_final"], [])["success"])
        self.assertEqual(call("whisper", "HI"), "hi")
        _run.discard("whisper")

    def test_self_building_makes_functions_and_runs_them_in_the_same_run(self):
        teach(2)
        results = call("self_build", "A teacher.", 2)
        self.assertEqual([one["output"] for one in results], [9, 16], results)
        self.assertEqual(func.get_function("square")["dependencies"], ["square_helper"])
        self.assertEqual(call("generate_queries", "A teacher.", 2), ["square 3", "square 4"])
        self.assertEqual(call("process_user_input", "square 5"), 25)

    def test_the_steps_of_self_building_one_by_one(self):
        teach(2)
        self.assertEqual(call("check_existing_functions", "cube 5")["function_found"], False)
        breakdown = call("break_down_task", "square 3")
        self.assertEqual([one["name"] for one in breakdown], ["square", "square_helper"])
        context = {"user_input": "square 3", "function_breakdown": breakdown}
        self.assertEqual(call("decide_imports_and_apis", context)["standard_imports"], ["math"])
        self.assertEqual(
            call("generate_function_code", breakdown[1] | {"imports": []}, context)["function_name"], "square_helper"
        )
        self.assertEqual(call("create_function", breakdown[1], context)["name"], "square_helper")
        self.assertIsNone(call("generate_functions", breakdown, context))
        self.assertIn("square", call("get_functions_that_depend_on", "square_helper"))
        self.assertEqual(call("extract_function_parameters", "square 3", "square"), {"n": 3})
        self.assertEqual(call("run_final_function", "square", n=3), 9)


class TheWholeSet(Packs):
    """Runs last: its name is after those of the others."""

    def test_every_function_was_run_or_needs_an_outside_service(self):
        if not {"AiFunctions", "DefaultFunctions", "Drafts"} <= _classes:
            self.skipTest("only some tests were asked for")
        func.add_key("serpapi_api_key", "x" * 8)
        for pack in OUTSIDE:
            if pack.startswith("plugins/"):
                babyagi.load_functions(pack)
        babyagi.load_functions("drafts/generate_own_function", prefix="own.")
        with self.assertRaisesRegex(selfmade.BadRequest, "line 447"):
            babyagi.load_functions("drafts/user_db")
        packs = {line.name for line in selfmade.server.packs.list()}
        self.assertEqual(
            packs, {str(path.relative_to(PACKS))[:-3] for path in PACKS.rglob("*.py")} - {"drafts/user_db"}
        )
        stored = {line.name for line in selfmade.server.functions.list() if line.pack}
        outside = {name for names in OUTSIDE.values() for name in names} | {"own.generate_function_from_description"}
        self.assertEqual(stored - outside - _run, set())
        self.assertEqual(outside - stored, set())


if __name__ == "__main__":
    unittest.main()
