//! The packs that the PyPI package `babyagi` 0.1.4 ships, as they are.

use std::path::PathBuf;

use serde_json::Value;

use crate::command::Place;

fn packs() -> PathBuf {
    let wheel = std::env::var("SELFMADE_TEST_BABYAGI")
        .expect("run through `cargo xtask test`, which unpacks the wheel");
    PathBuf::from(wheel).join("babyagi/functionz/packs")
}

fn load(place: &Place, path: &str, more: &[&str]) -> (i32, Value) {
    let folder = packs().join(path).display().to_string();
    let output = place.output(&[&["pack", "load", &folder, "--json"], more].concat(), b"", "".as_ref());
    let text = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    (output.status.code().unwrap(), serde_json::from_slice(text).unwrap())
}

fn count(value: &Value, kind: &str) -> usize {
    value["applied"]["moves"].as_array().unwrap().iter().filter(|moved| moved["kind"] == kind).count()
}

#[test]
fn the_whole_set_loads_but_for_the_file_that_is_not_python_and_a_name_that_stands_twice() {
    let place = Place::new();
    let (exit, loaded) = load(&place, "", &[]);
    assert_eq!((exit, count(&loaded, "function"), count(&loaded, "trigger")), (1, 86, 1));
    let refused: Vec<(&str, &str)> = loaded["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refusal| (refusal["file"].as_str().unwrap(), refusal["message"].as_str().unwrap()))
        .collect();
    insta::assert_debug_snapshot!(refused, @r#"
    [
        (
            "drafts/generate_own_function.py",
            "`generate_function_from_description` is already defined in `drafts/generate_function.py`",
        ),
        (
            "drafts/user_db.py",
            "line 447, column 2: expected class, function definition or async function definition after decorator",
        ),
    ]
    "#);
    let warnings: Vec<&str> = loaded["applied"]["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["message"].as_str().unwrap())
        .collect();
    for name in ["func", "litellm", "FunctionSuggestion", "get_all_functions"] {
        let kept = format!("depends on `{name}`, which is not a stored function");
        assert!(warnings.contains(&kept.as_str()), "{name}: {warnings:#?}");
    }
}

#[test]
fn loading_the_set_again_makes_no_version() {
    let place = Place::new();
    load(&place, "", &[]);
    let before = place.brain();
    let (exit, again) = load(&place, "", &[]);
    assert_eq!((exit, &again["applied"]["changeset"], &again["unchanged"]), (1, &Value::Null, &86.into()));
    // Only when it was loaded last may differ, and only if something was applied.
    assert_eq!(place.brain(), before);
}

#[test]
fn a_pack_that_defines_what_another_has_is_refused_or_loaded_under_a_prefix() {
    let place = Place::new();
    assert_eq!(load(&place, "drafts/generate_function.py", &[]).0, 0);
    let before = place.brain();
    let (exit, refused) = load(&place, "drafts/generate_own_function.py", &[]);
    assert_eq!((exit, refused["error"]["code"].as_str()), (5, Some("pack_refused")));
    assert_eq!(place.brain(), before);
    let (exit, _) = load(&place, "drafts/generate_own_function.py", &["--as", "own."]);
    assert_eq!(exit, 0);
    let shown = place.data(&["fn", "show", "own.generate_function_from_description", "--json"]);
    assert!(shown.contains("\"number\": 1"), "{shown}");
}

#[test]
fn one_broken_file_alone_changes_nothing_and_says_where_it_is_broken() {
    let place = Place::new();
    let (exit, error) = load(&place, "drafts/user_db.py", &[]);
    assert_eq!(exit, 3);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("user_db.py`, line 447"), "{message}");
    let listed: Value = serde_json::from_str(&place.data(&["fn", "list", "--json"])).unwrap();
    assert_eq!(listed["functions"], Value::Array(Vec::new()));
}
