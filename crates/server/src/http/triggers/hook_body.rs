//! The body of a webhook as a value: JSON as it is, a form by its fields, text as text.

use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use crate::http::problem::Problem;

pub(crate) fn data(headers: &HeaderMap, body: &[u8]) -> Result<Value, Problem> {
    let stated = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let kind = stated.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "" if body.is_empty() => Ok(Value::Null),
        // Whoever does not say what it is means JSON or text.
        "" => serde_json::from_slice(body).or_else(|_| text(body)),
        "application/x-www-form-urlencoded" => Ok(form(body)),
        kind if kind == "application/json" || kind.ends_with("+json") => serde_json::from_slice(body)
            .map_err(|error| Problem::of("bad_json", format!("the body is not valid JSON: {error}"))),
        kind if kind.starts_with("text/") => text(body),
        kind => Err(Problem::of("unsupported_body", format!("a webhook does not accept `{kind}`"))),
    }
}

fn text(body: &[u8]) -> Result<Value, Problem> {
    match std::str::from_utf8(body) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(Problem::of("unsupported_body", "the body is not valid UTF-8")),
    }
}

/// A field that comes more than once is a list.
fn form(body: &[u8]) -> Value {
    let mut fields = Map::new();
    for (name, value) in form_urlencoded::parse(body) {
        let value = Value::from(value.into_owned());
        match fields.get_mut(name.as_ref()) {
            None => drop(fields.insert(name.into_owned(), value)),
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(kind: &str, body: &str) -> Option<Value> {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        }
        data(&headers, body.as_bytes()).ok()
    }

    #[test]
    fn what_was_sent_is_read_as_what_it_is() {
        assert_eq!(read("application/json; charset=utf-8", r#"{"a": 1}"#), Some(json!({ "a": 1 })));
        assert_eq!(read("application/cloudevents+json", "[]"), Some(json!([])));
        assert_eq!(read("text/plain", r#"{"a": 1}"#), Some(json!(r#"{"a": 1}"#)));
        assert_eq!(
            read("application/x-www-form-urlencoded", "a=1&b=%C3%BC+x&a=2&a=3"),
            Some(json!({ "a": ["1", "2", "3"], "b": "ü x" }))
        );
        assert_eq!(read("", "7"), Some(json!(7)));
        assert_eq!(read("", "seven"), Some(json!("seven")));
        assert_eq!(read("", ""), Some(Value::Null));
        assert_eq!(read("application/json", "{"), None);
        assert_eq!(read("image/png", "x"), None);
    }
}
