//! What came of executing a Function once, compared with what came of another.

use serde_json::Value;

use crate::function::test_case::is_equal;
use crate::run::RunError;

/// A value, or the error that was raised.
pub type Answer = Result<Value, RunError>;

/// No value is shown longer than that.
const SHOWN: usize = 120;

/// The same value as Python compares, or an error of the same type: texts of errors say what they like.
pub fn is_same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => is_equal(one, other),
        (Err(one), Err(other)) => one.type_name == other.type_name,
        _ => false,
    }
}

/// As a finding shows it.
pub fn shown(answer: &Answer) -> String {
    match answer {
        Ok(value) => short(&value.to_string()),
        Err(error) => short(&format!("{}: {}", error.type_name, error.message)),
    }
}

pub fn short(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Why a recorded value is not what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// It, or a part of it, was too large or could not be recorded.
    Cut,
    /// A secret was redacted in it.
    Redacted,
}

/// Whether a recorded value is all of what it was.
pub fn incomplete(value: &Value) -> Option<Incomplete> {
    match value {
        Value::String(text) => text.contains("[secret ").then_some(Incomplete::Redacted),
        Value::Array(items) => items.iter().find_map(incomplete),
        Value::Object(fields) if fields.contains_key("$described") => Some(Incomplete::Cut),
        Value::Object(fields) => fields.iter().find_map(|(key, value)| {
            let redacted = key.contains("[secret ").then_some(Incomplete::Redacted);
            redacted.or_else(|| incomplete(value))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_was_cut_or_redacted_is_not_whole() {
        assert_eq!(incomplete(&json!({"a": [1, "secret"], "$tuple": [null]})), None);
        assert_eq!(incomplete(&json!({"a": ["x [secret KEY] y"]})), Some(Incomplete::Redacted));
        assert_eq!(incomplete(&json!({"[secret KEY]": 1})), Some(Incomplete::Redacted));
        let cut = json!([{"a": {"$described": {"type": "cut", "text": "…"}}}]);
        assert_eq!(incomplete(&cut), Some(Incomplete::Cut));
    }

    #[test]
    fn values_are_compared_as_python_does_and_errors_by_type() {
        let error = |kind: &str, text: &str| Err(RunError::of(kind, text));
        assert!(is_same(&Ok(json!([1, 2.0])), &Ok(json!({"$tuple": [1.0, 2]}))));
        assert!(is_same(&error("ValueError", "a"), &error("ValueError", "b")));
        assert!(!is_same(&error("ValueError", "a"), &error("KeyError", "a")));
        assert!(!is_same(&Ok(json!(null)), &error("KeyError", "a")));
    }
}
