//! A function that guesses secrets it was not handed, in real cells: whether it is right makes no difference to anything that is
//! recorded, told or answered.

use serde_json::Value;

use crate::command::Place;

const FUNCTIONS: &str = include_str!("guessing.py");
const VALUES: [&str; 2] = ["sk-guess-0123456789", "sk-gues5-9876543210-longer"];

/// What differs from one run to the next.
const PASSING: [&str; 12] = [
    "at",
    "created_at",
    "started_at",
    "finished_at",
    "duration_us",
    "usage",
    "lease",
    "closure",
    "bytes",
    "cold",
    "who",
    "parent",
];

/// Everything that is recorded of all runs, and all events, where the secrets have this value.
fn seen(value: &str) -> Value {
    let place = Place::new();
    let set = |arguments: &[&str]| {
        let said = place.run_with(&[&["secret", "set"], arguments].concat(), value.as_bytes());
        assert!(said.starts_with("exit: 0"), "{said}");
    };
    set(&["open_key"]);
    set(&["sealed_key", "--host", "api.example.com"]);
    place.file("guessing.py", FUNCTIONS);
    place.data(&["pack", "load", "guessing.py"]);
    // Its starter may use the secrets, so what is passed in says nothing of them.
    let halves: Vec<Vec<&str>> = VALUES.iter().map(|value| vec![&value[..6], &value[6..]]).collect();
    place.file("halves.json", serde_json::json!({ "halves": halves }).to_string());
    let said = place.run(&["run", "guess_all", "--input", "halves.json", "--no-triggers"]);
    assert!(said.starts_with("exit: 7"), "{said}");
    let runs = place.json(&["runs", "list", "--limit", "100"]);
    let runs = runs["runs"].as_array().unwrap();
    let shown = runs.iter().map(|run| {
        let id = run["run_id"].as_str().unwrap();
        timeless(place.json(&["runs", "show", id]))
    });
    let mut shown: Vec<Value> = shown.collect();
    assert!(shown.len() > 10, "{}", shown.len());
    shown.push(timeless(place.json(&["log"])));
    shown.into()
}

fn timeless(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(key, _)| !PASSING.contains(&key.as_str()))
            .map(|(key, value)| (key, timeless(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(timeless).collect(),
        Value::String(text) => without_ids(&text).into(),
        other => other,
    }
}

/// Ids are written as five groups of hexadecimal digits.
fn without_ids(text: &str) -> String {
    let is_id = |part: &str| {
        let groups: Vec<usize> = part.split('-').map(str::len).collect();
        groups == [8, 4, 4, 4, 12] && part.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
    };
    let word = |c: char| !(c.is_ascii_hexdigit() || c == '-');
    text.split_inclusive(word)
        .map(|part| {
            let end = part.rfind(word).unwrap_or(part.len());
            if is_id(&part[..end]) { format!("[id]{}", &part[end..]) } else { part.to_owned() }
        })
        .collect()
}

/// On a busy machine two pipes may be read one after the other though they were written in turn, whatever was written. What depends on a
/// secret does so every time.
const TRIES: usize = 4;

#[test]
fn a_right_guess_looks_like_a_wrong_one() {
    for left_to_try in (0..TRIES).rev() {
        let (left, right) = (seen(VALUES[0]), seen(VALUES[1]));
        if left == right {
            return;
        }
        let (left, right) = (left.as_array().unwrap(), right.as_array().unwrap());
        assert_eq!(left.len(), right.len());
        if left_to_try == 0 {
            for (left, right) in left.iter().zip(right) {
                assert_eq!(left, right);
            }
        }
    }
}
