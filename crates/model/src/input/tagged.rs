//! Values as they are recorded: JSON, and for what JSON lacks a one-key object whose key begins with `$`, such as
//! `{"$tuple": [1, 2]}`. How cells read and write them is the sandbox's part.

use serde_json::{Map, Value};

use crate::phrase::cut;

/// How much of a value is shown to a reader.
const SHOWN: usize = 60;

/// The tag of a value and what is under it.
pub fn tag(value: &Value) -> Option<(&str, &Value)> {
    let Value::Object(map) = value else { return None };
    let (key, inner) = map.iter().next()?;
    (map.len() == 1 && key.starts_with('$')).then_some((key.as_str(), inner))
}

/// The elements of a list, tuple or set.
pub fn elements(value: &Value) -> Option<&[Value]> {
    match (value, tag(value)) {
        (Value::Array(items), _) | (_, Some(("$tuple" | "$set" | "$frozenset", Value::Array(items)))) => {
            Some(items)
        }
        _ => None,
    }
}

/// The entries of a dict with text keys.
pub fn entries(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object().filter(|_| tag(value).is_none())
}

/// The pairs of a dict with other keys.
pub fn pairs(value: &Value) -> Option<impl Iterator<Item = (&Value, &Value)>> {
    match tag(value) {
        Some(("$dict", Value::Array(pairs))) => {
            Some(pairs.iter().filter_map(|pair| match pair.as_array()?.as_slice() {
                [key, value] => Some((key, value)),
                _ => None,
            }))
        }
        _ => None,
    }
}

/// The nearest that plain JSON has to it, for schemas that know nothing of tags.
pub fn plain(value: &Value) -> Value {
    if let Some(items) = elements(value) {
        return Value::Array(items.iter().map(plain).collect());
    }
    if let Some(pairs) = pairs(value) {
        let text = |key: &Value| key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        return Value::Object(pairs.map(|(key, value)| (text(key), plain(value))).collect());
    }
    match (value, tag(value)) {
        (_, Some(("$int", Value::String(digits)))) => big(digits),
        (_, Some(("$datetime" | "$date" | "$time" | "$bytes" | "$decimal", inner))) => inner.clone(),
        (Value::Object(map), None) => map.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        _ => value.clone(),
    }
}

/// An integer that JSON's numbers hold only roughly.
fn big(digits: &str) -> Value {
    let (sign, digits) = digits.strip_prefix('-').map_or((1.0, digits), |rest| (-1.0, rest));
    let digits = digits.trim_start_matches("0x");
    let size = digits
        .chars()
        .filter_map(|c| c.to_digit(16))
        .fold(0.0, |sum: f64, digit| sum * 16.0 + f64::from(digit));
    (sign * size).clamp(f64::MIN, f64::MAX).into()
}

/// A value in a few words, however large it is.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string `{}`", cut(text, SHOWN)),
        Value::Array(items) => format!("a list of length {}", items.len()),
        Value::Object(map) => match tag(value) {
            Some((tag, inner)) => describe_tagged(tag, inner),
            None if map.is_empty() => "an empty object".to_owned(),
            None => {
                let keys: Vec<String> = map.keys().take(4).map(|key| format!("`{}`", cut(key, 20))).collect();
                let more = if map.len() > keys.len() { " …" } else { "" };
                format!("an object with {}{more}", keys.join(", "))
            }
        },
    }
}

fn describe_tagged(tag: &str, inner: &Value) -> String {
    let count = inner.as_array().map_or(0, Vec::len);
    match tag {
        "$tuple" => format!("a tuple of length {count}"),
        "$set" | "$frozenset" => format!("a set of size {count}"),
        "$dict" => format!("a dict of size {count}"),
        "$int" => "a very large integer".to_owned(),
        "$float" => format!("the number {}", cut(inner.as_str().unwrap_or("nan"), SHOWN)),
        "$decimal" => format!("the decimal {}", cut(inner.as_str().unwrap_or_default(), SHOWN)),
        "$bytes" => "bytes".to_owned(),
        "$datetime" => "a date and time".to_owned(),
        "$date" => "a date".to_owned(),
        "$time" => "a time of day".to_owned(),
        "$timedelta" => "a duration".to_owned(),
        "$described" => "a description of a value that could not be serialized".to_owned(),
        other => format!("an object with `{}`", cut(other, 20)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tag_is_the_only_key_and_begins_with_a_dollar() {
        assert!(tag(&json!({"$tuple": []})).is_some());
        assert!(tag(&json!({"$tuple": [], "more": 1})).is_none());
        assert!(tag(&json!({"tuple": []})).is_none());
        assert_eq!(elements(&json!({"$set": [1, 2]})).map(<[Value]>::len), Some(2));
        assert!(entries(&json!({"$set": [1, 2]})).is_none());
    }

    #[test]
    fn the_plain_form_has_no_tags_that_json_can_do_without() {
        let tagged = json!({"a": {"$tuple": [{"$date": "2026-01-01"}]}, "b": {"$dict": [[1, {"$set": []}]]}, "c": {"$int": "-0x10"}});
        assert_eq!(plain(&tagged), json!({"a": ["2026-01-01"], "b": {"1": []}, "c": -16.0}));
    }

    #[test]
    fn a_value_is_described_in_few_words_however_large_it_is() {
        assert_eq!(describe(&json!("x".repeat(5000))).chars().count(), "the string ``".len() + SHOWN);
        assert_eq!(
            describe(&json!({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5})),
            "an object with `a`, `b`, `c`, `d` …"
        );
        assert_eq!(describe(&json!({"$tuple": [1, 2]})), "a tuple of length 2");
        assert_eq!(describe(&json!([1, 2, 3])), "a list of length 3");
    }
}
