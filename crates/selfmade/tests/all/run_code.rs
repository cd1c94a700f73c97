//! `selfmade run-code`, with real cells.

use crate::command::{Place, assert_shows};

const COUNT: &str = "def word_count(text: str) -> int:\n    return len(text.split())\n";

#[test]
fn a_script_calls_what_is_stored_and_its_last_expression_is_the_result() {
    let place = Place::new();
    place.add(COUNT);
    let script = b"print('counting')\nn = word_count(text)\nn * 2\n";
    assert_shows!(place.run_with(&["run-code", "-", "--arg", "text=one two"], script), @"");
    let run = place.json(&["runs", "list"])["items"][0]["run_id"].as_str().unwrap().to_owned();
    let shown = place.run(&["runs", "show", &run]);
    assert!(shown.contains("2 n = word_count(text)"), "{shown}");
    assert_eq!(place.json(&["runs", "rerun", &run])["output"], 4);
    assert_eq!(place.json(&["runs", "replay", &run])["same"], true);
}

#[test]
fn what_a_script_raises_is_told_by_its_own_lines() {
    let place = Place::new();
    place.add("def fails(n):\n    raise ValueError(n)\n");
    assert_shows!(place.run_with(&["run-code", "-"], b"# A comment.\nfor n in [1, 0]:\n    1 / n\n"), @"");
    assert_shows!(place.run_with(&["run-code", "-"], b"def inner():\n    return fails(7)\n\nx = 1; inner()"), @"");
    assert_shows!(place.run_with(&["run-code", "-"], b"x = 1\nif x\n"), @"");
    assert_shows!(place.run_with(&["run-code", "-"], b"x = 1\nword_cont(x)\n"), @"");
}
