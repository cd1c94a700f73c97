//! `selfmade test`: the tests of functions, in real cells.

use crate::command::{Place, assert_shows};

/// Functions with and without tests.
fn tested() -> Place {
    let place = Place::new();
    place.file(
        "double.py",
        "import selfmade\n\n@selfmade.function(tests=[\n    {'name': 'of two', 'input': {'n': 2}, 'expect': {'output': 4}},\n    \
         {'input': {'n': 'a'}, 'expect': {'output': 'aa'}},\n])\ndef double(n):\n    return n + n\n",
    );
    place.file(
        "quadruple.py",
        "import selfmade\n\n@selfmade.function(tests=[{'input': {'n': 2}, 'expect': {'output': 8}}])\n\
         def quadruple(n):\n    return double(double(n))\n",
    );
    place.data(&["fn", "add", "double.py"]);
    place.data(&["fn", "add", "quadruple.py"]);
    place.add("def untested():\n    return double(1)\n");
    place
}

#[test]
fn every_test_has_a_line() {
    let place = tested();
    assert_shows!(place.run(&["test"]), @"
    exit: 0
    --- stdout
    passed  double 1 (of two)
    passed  double 2
    passed  quadruple 1
    --- stderr
    brain: [folder]/home (given by --home)
    3 passed
    ");
    assert_shows!(place.run(&["test", "quadruple"]), @"
    exit: 0
    --- stdout
    passed  quadruple 1
    --- stderr
    brain: [folder]/home (given by --home)
    1 passed
    ");
    assert_shows!(place.run(&["test", "double", "--dependents"]), @"
    exit: 0
    --- stdout
    passed  double 1 (of two)
    passed  double 2
    passed  quadruple 1
    --- stderr
    brain: [folder]/home (given by --home)
    3 passed
    ");
    assert_shows!(place.run(&["test", "untested"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are no tests
    ");
    assert_shows!(place.run(&["test", "trouble"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `trouble`
    hint: did you mean `double`?
    ");
}

#[test]
fn a_failing_test_says_what_came_and_exits_with_7() {
    let mut place = Place::new();
    place.file(
        "fragile.py",
        "import selfmade\n\n@selfmade.function(tests=[\n    \
         {'name': 'mocked', 'input': {}, 'expect': {'output': 1}, 'mocks': [{'function': 'now', 'output': 1}]},\n    \
         {'input': {}, 'expect': {'error': {'type': 'ValueError'}}, 'mocks': [{'function': 'now', 'output': 2}]},\n])\n\
         def fragile():\n    from selfmade import now\n    return now()\n",
    );
    assert_shows!(place.run(&["fn", "add", "fragile.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: the changeset does not pass its checks
      function `fragile`: test 2 fails: expected an error, but it returned 2
    hint: nothing was changed
    ");
    // Where there is no Python a function is stored untested.
    place.set("PATH", "/nowhere");
    place.data(&["fn", "add", "fragile.py"]);
    assert_shows!(place.run(&["test"]), @"
    exit: 7
    --- stdout
    failed  fragile 1 (mocked)
            cannot build the environment of the function: no Python 3.10 or newer was found; install it (for example `apt install python3`) or name one
    failed  fragile 2
            cannot build the environment of the function: no Python 3.10 or newer was found; install it (for example `apt install python3`) or name one
    --- stderr
    brain: [folder]/home (given by --home)
    0 passed, 2 failed
    ");
    place.set("PATH", "/usr/bin:/bin");
    assert_shows!(place.run(&["test"]), @"
    exit: 7
    --- stdout
    passed  fragile 1 (mocked)
    failed  fragile 2
            expected an error, but it returned 2
    --- stderr
    brain: [folder]/home (given by --home)
    1 passed, 1 failed
    ");
}

#[test]
fn a_function_that_breaks_the_tests_of_its_callers_is_refused() {
    let place = tested();
    place.file(
        "double.py",
        "import selfmade\n\n@selfmade.function(tests=[{'input': {'n': 0}, 'expect': {'output': 0}}])\ndef double(n):\n    return n * 3\n",
    );
    assert_shows!(place.run(&["fn", "add", "double.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `quadruple`: test 1 fails: expected 8, but it returned 18
    hint: nothing was changed
    ");
}

#[test]
fn the_reports_have_a_json_form() {
    assert_shows!(tested().run(&["test", "double", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "tests": [
        {
          "function": "double",
          "number": 1,
          "name": "of two",
          "passed": true
        },
        {
          "function": "double",
          "number": 2,
          "passed": true
        }
      ],
      "passed": 2,
      "failed": 0
    }
    --- stderr
    "#);
}

#[test]
fn a_test_is_handed_stand_ins_for_secrets_and_never_the_secrets() {
    let place = Place::new();
    place.run_with(&["secret", "set", "api_key"], b"sesame");
    place.file(
        "keyed.py",
        "import selfmade\n\n@selfmade.function(secrets=['api_key'], tests=[\n    \
         {'input': {}, 'expect': {'output': 'Bearer secret-api_key'}}])\n\
         def keyed():\n    from selfmade import secrets\n    return f'Bearer {secrets.api_key}'\n",
    );
    place.data(&["fn", "add", "keyed.py"]);
    assert_shows!(place.run(&["test", "keyed"]), @"
    exit: 0
    --- stdout
    passed  keyed 1
    --- stderr
    brain: [folder]/home (given by --home)
    1 passed
    ");
}

#[test]
fn a_mock_goes_by_the_name_in_the_source_when_a_pack_has_a_prefix() {
    let place = Place::new();
    place.file(
        "tools.py",
        "import selfmade\n\n@selfmade.function\ndef load():\n    return 1 / 0\n\n\
         @selfmade.function(tests=[{'input': {}, 'mocks': [{'function': 'load', 'output': 20}], 'expect': {'output': 21}}])\n\
         def count():\n    return load() + 1\n",
    );
    place.data(&["pack", "load", "tools.py", "--as", "tools."]);
    assert_shows!(place.run(&["test", "tools.count"]), @"
    exit: 0
    --- stdout
    passed  tools.count 1
    --- stderr
    brain: [folder]/home (given by --home)
    1 passed
    ");
}

#[test]
fn mutants_show_what_tests_would_not_notice() {
    let place = Place::new();
    place.file(
        "shorter.py",
        "import selfmade\n\n@selfmade.function(tests=[\n    {'input': {'a': 'x', 'b': 'yy'}, 'expect': {'output': True}},\n    \
         {'input': {'a': 'xx', 'b': 'y'}, 'expect': {'output': False}},\n])\ndef shorter(a: str, b: str):\n    return len(a) < len(b)\n",
    );
    place.data(&["fn", "add", "shorter.py"]);
    assert_shows!(place.run(&["test", "shorter", "--mutants"]), @"
    exit: 0
    --- stdout
    survived  shorter: 1 of 4 mutants
            line 2: return len(a) < len(b)
            might as well be  return len(a) <= len(b)
    --- stderr
    brain: [folder]/home (given by --home)
    warning: the tests do not notice 1 of 4 mutants
    ");
}

#[test]
fn a_run_becomes_a_test_and_the_test_is_held_against_the_next_version() {
    let place = Place::new();
    place.add("def double(n: int):\n    return n * 2\n");
    place.run(&["run", "double", "4"]);
    place.data(&["test", "add", "--from", "last", "--name", "four"]);
    assert_shows!(place.run(&["test", "double"]), @"
    exit: 0
    --- stdout
    passed  double 1 (four)
    --- stderr
    brain: [folder]/home (given by --home)
    1 passed
    ");
    let why = place.json(&["fn", "why", "double"]);
    assert_eq!(why["tests"], serde_json::json!({ "regression": 1 }));
}

#[test]
fn what_a_run_proposes_is_gated_in_real_cells() {
    let place = Place::new();
    place.file(
        "build.py",
        "import selfmade\n\n@selfmade.function(brain='propose')\ndef build(source: str):\n    selfmade.brain.draft(source)\n    \
         return {check['gate']: [finding['message'] for finding in check.get('findings', [])] for check in selfmade.brain.check()}\n",
    );
    place.data(&["fn", "add", "build.py"]);
    place.file(
        "double.py",
        "import selfmade\n\n@selfmade.function(tests=[{'input': {'n': 3}, 'expect': {'output': 6}}, {'input': {'n': 5}, 'expect': {'output': 10}}])\n\
         def double_number(n: int):\n    \"\"\"Doubles a number.\"\"\"\n    return n * 2\n",
    );
    place.data(&["fn", "add", "double.py"]);
    let checked = |body: &str, expect: &str| {
        let source = format!(
            "import selfmade\n\n@selfmade.function(tests=[{{'input': {{'n': 7}}, 'expect': {expect}}}])\ndef twice_number(n: int):\n    \
             \"\"\"Doubles a number.\"\"\"\n    {body}\n"
        );
        place.json(&["run", "build", "--arg", &format!("source={source}")])["output"].clone()
    };
    let found = checked("return n + n", "{'schema': {}}");
    assert_eq!(
        found["mutants"],
        serde_json::json!([
            "its tests would pass for wrong code too: with `return None` instead of `return n + n` in line 3"
        ])
    );
    let found = checked("return n + n", "{'output': 14}");
    assert_eq!(found["mutants"], serde_json::json!([]));
    assert_eq!(
        found["twins"],
        serde_json::json!([
            "does what the stored function `double_number` does, on all 3 inputs that were tried"
        ])
    );
    // A loop that a mutant never leaves is ended by the time that one test has.
    let found = checked("i = 0\n    while i < n:\n        i += 1\n    return i", "{'output': 7}");
    assert_eq!((&found["tests"], &found["twins"]), (&serde_json::json!([]), &serde_json::json!([])));
}
