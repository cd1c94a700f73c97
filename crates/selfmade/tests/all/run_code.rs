//! `selfmade run-code`, with real cells.

use crate::command::{Place, assert_shows};

const COUNT: &str = "def word_count(text: str) -> int:\n    return len(text.split())\n";

#[test]
fn a_script_calls_what_is_stored_and_its_last_expression_is_the_result() {
    let place = Place::new();
    place.add(COUNT);
    let script = b"print('counting')\nn = word_count(text)\nn * 2\n";
    assert_shows!(place.run_with(&["run-code", "-", "--arg", "text=one two"], script), @"
    exit: 0
    --- stdout
    4
    --- stderr
    brain: [folder]/home (given by --home)
    counting
    ");
    let run = place.json(&["runs", "list"])["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let shown = place.run(&["runs", "show", &run]);
    assert!(shown.contains("2 n = word_count(text)"), "{shown}");
    assert_eq!(place.json(&["runs", "rerun", &run])["output"], 4);
    assert_eq!(place.json(&["runs", "replay", &run])["same"], true);
}

#[test]
fn what_a_script_raises_is_told_by_its_own_lines() {
    let place = Place::new();
    place.add("def fails(n):\n    raise ValueError(n)\n");
    assert_shows!(place.run_with(&["run-code", "-"], b"# A comment.\nfor n in [1, 0]:\n    1 / n\n"), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    Traceback (most recent call last):
      File "run_code@0", line 3, in run_code
        1 / n
        ~~^~~
    ZeroDivisionError: division by zero
    "#);
    assert_shows!(place.run_with(&["run-code", "-"], b"def inner():\n    return fails(7)\n\nx = 1; inner()"), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    Traceback (most recent call last):
      File "run_code@0", line 4, in run_code
        x = 1; return inner()
                      ^^^^^^^
      File "run_code@0", line 2, in inner
        return fails(7)
               ^^^^^^^^
      File "fails@1", line 2, in fails
        raise ValueError(n)
    ValueError: 7
    "#);
    assert_shows!(place.run_with(&["run-code", "-"], b"x = 1\nif x\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `script`, line 2, column 5: expected `:`, found newline
    ");
    assert_shows!(place.run_with(&["run-code", "-"], b"x = 1\nword_cont(x)\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `script`: line 2, column 1: `word_cont` is not defined, imported or stored
    hint: define it in the script, import it, or find what is stored with `selfmade search`
    ");
}
