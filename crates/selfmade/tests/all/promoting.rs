//! What becomes of a script that worked, with real cells.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::command::Place;

const COUNT: &str = "def word_count(text: str) -> int:\n    return len(text.split())\n";

/// The loop of an agent, without a model: calls the tools that it is told.
const AGENT: &str = r#"import selfmade

@selfmade.function(brain="propose")
def agent(calls: list) -> list:
    from selfmade import tools

    answers = []
    for name, arguments in calls:
        if "from_run" in arguments:
            arguments = {**arguments, "from_run": answers[-1]["data"]["run"]}
        answers.append(tools.call(name, arguments))
    return answers
"#;

/// Not pure: each call gives another value.
const COUNTER: &str = r#"import selfmade

@selfmade.function(storage="write")
def counter(step: int) -> int:
    from selfmade import storage

    value = storage.get("n", 0) + step
    storage.set("n", value)
    return value
"#;

/// A line of a script, and what it needs of the input.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        (1..4_i64).prop_map(|n| format!("found.append(n + {n})")),
        "[a-c ]{1,8}".prop_map(|text| format!("found.append(word_count(text + ' {text}'))")),
        (1..3_i64).prop_map(|n| format!("found.append(counter({n}))")),
        Just("found.append({'text': text, 'flag': flag, 'items': list(items)})".to_owned()),
        Just("found.append(selfmade.random())".to_owned()),
        Just("for item in items:\n    if item:\n        found.append(counter(item))".to_owned()),
        Just("found.append('''a\n  b''')".to_owned()),
        Just("print(len(found))".to_owned()),
    ]
}

fn script() -> impl Strategy<Value = (String, Value)> {
    let input = (any::<i32>(), "[a-z é\"']{0,6}", any::<bool>(), prop::collection::vec(0..9_i64, 0..4));
    (prop::collection::vec(line(), 1..5), any::<bool>(), input).prop_map(|(lines, returns, input)| {
        let mut script = String::from("import selfmade\nfound = []\n");
        for line in lines {
            let _ = writeln!(script, "{line}");
        }
        script.push_str(if returns { "return found" } else { "found, len(found)" });
        (script, json!({ "n": input.0, "text": input.1, "flag": input.2, "items": input.3 }))
    })
}

/// Whatever a script did, the function that is made of it passes the test that is made of its run.
#[test]
fn a_script_that_worked_becomes_a_function_that_passes_its_own_test() {
    let place = Place::new();
    place.add(COUNT);
    place.add(COUNTER);
    place.add(AGENT);
    let mut runner = TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
    let promoted = runner.run(&script(), |(script, input)| {
        let calls = json!([
            ["run_code", { "code": script, "input": input }],
            ["draft", { "from_run": "", "name": "promoted" }],
            ["check", {}],
        ]);
        let answers = place.json(&["run", "agent", "--arg", &format!("calls={calls}")])["output"].clone();
        let texts: Vec<&str> = (0..3).map(|n| answers[n]["text"].as_str().unwrap_or_default()).collect();
        prop_assert!(
            answers[2]["ok"] == true && texts[2].contains("- tests: passed"),
            "{}\n{}",
            script,
            texts.join("\n")
        );
        Ok(())
    });
    promoted.unwrap();
}

#[test]
fn what_failed_or_is_stored_is_not_promoted() {
    let place = Place::new();
    place.add(AGENT);
    let promoted = |script: &str| {
        let calls =
            json!([["run_code", { "code": script }], ["draft", { "from_run": "", "name": "promoted" }]]);
        let output = place.json(&["run", "agent", "--arg", &format!("calls={calls}")])["output"].clone();
        (output[0]["text"].as_str().unwrap().to_owned(), output[1]["text"].as_str().unwrap().to_owned())
    };
    let (failed, refused) = promoted("x = 1\nprint('so far')\nx / 0");
    assert!(failed.contains("File \"run_code@0\", line 3, in run_code\n    return x / 0"), "{failed}");
    assert!(failed.contains("it printed:\n```\nso far\n```"), "{failed}");
    assert!(refused.contains("only a script that succeeded can become a function"), "{refused}");
}
