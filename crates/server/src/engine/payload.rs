//! What is kept of outputs: no more than is allowed. Secrets have been struck out before, so no cut depends on one.

use serde_json::{Value, json};

/// The value as it is recorded. One that is too long is kept as its beginning, with its length.
pub(crate) fn recorded(value: Value, most_bytes: usize) -> Value {
    if is_short(&value, most_bytes) {
        return value;
    }
    let text = value.to_string();
    if text.len() <= most_bytes {
        return value;
    }
    let mut end = most_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    json!({ "$described": { "type": "cut", "text": format!("{}… ({} bytes)", &text[..end], text.len()) } })
}

/// Most values are, and need not be written out to know it.
fn is_short(value: &Value, most_bytes: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.len() * 6 < most_bytes,
        Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_too_long_is_cut_with_a_marker() {
        let cut = recorded(json!({"text": "ä".repeat(100)}), 50);
        let text = cut["$described"]["text"].as_str().unwrap();
        assert!(text.starts_with("{\"text\":\"ää") && text.ends_with("… (211 bytes)"), "{text}");
    }

    #[test]
    fn a_short_value_stays_as_it_is() {
        let value = json!({"a": [1, "two", null]});
        assert_eq!(recorded(value.clone(), 50), value);
    }
}
