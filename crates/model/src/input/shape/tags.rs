//! Whether every tag in an input stands for a value, also where anything is allowed: a cell could not read it otherwise.

use serde_json::Value;

use super::{Place, Problem, Problems};
use crate::input::tagged::{describe, tag};
use crate::phrase::cut;

pub(crate) fn check_tags(value: &Value, place: &Place<'_>, problems: &mut Problems) {
    match (value, tag(value)) {
        (_, Some((tag, inner))) => check_tag(tag, inner, place, problems),
        (Value::Array(items), _) => check_elements(items, place, problems),
        (Value::Object(map), _) => {
            map.iter().for_each(|(key, value)| check_tags(value, &Place::Key(place, key), problems));
        }
        _ => {}
    }
}

fn check_elements(items: &[Value], place: &Place<'_>, problems: &mut Problems) {
    for (index, item) in items.iter().enumerate() {
        check_tags(item, &Place::Element(place, index), problems);
    }
}

fn check_tag(tag: &str, inner: &Value, place: &Place<'_>, problems: &mut Problems) {
    let holds = match tag {
        "$tuple" | "$set" | "$frozenset" | "$dict" | "$timedelta" => "a list",
        "$int" | "$float" | "$decimal" | "$bytes" | "$datetime" | "$date" | "$time" => "a string",
        "$described" => "an object",
        _ => return problems.add(|| unknown(tag, inner, place)),
    };
    match (holds, inner) {
        ("a list", Value::Array(items)) => check_elements(items, place, problems),
        ("a string", Value::String(_)) | ("an object", Value::Object(_)) => {}
        _ => {
            let path = || format!("{place}.{tag}");
            problems.add(|| Problem::wrong(path(), holds.to_owned(), describe(inner)));
        }
    }
}

fn unknown(tag: &str, inner: &Value, place: &Place<'_>) -> Problem {
    let (path, tag) = (place.to_string(), cut(tag, 40));
    let expected = format!("{{\"$dict\": [[\"{tag}\", …]]}}");
    let message = format!(
        "`{path}` has the single key `{tag}`; such keys mark special values, and this one is unknown; write `{expected}` for an object with that key"
    );
    Problem { path, expected, given: describe(inner), message }
}
