//! Redaction: secret values are struck out of whatever is recorded or told, wherever they stand in it.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::run::RunError;
use serde_json::{Value, json};

/// Values shorter than this stand in too many innocent texts to be struck out.
const SHORTEST: usize = model::secret::SHORTEST_SECRET_BYTES;

/// The values to strike out, each with what stands in its place.
#[derive(Clone, Default)]
pub(crate) struct Redaction {
    values: Vec<(String, String)>,
}

impl Redaction {
    /// Of secrets by name. A value is also struck out as JSON and as Python write it inside a text.
    pub(crate) fn of<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Redaction {
        let mut values: Vec<(String, String)> = Vec::new();
        for (name, value) in secrets {
            if value.len() < SHORTEST {
                continue;
            }
            let mut forms =
                vec![value.to_owned(), escaped(value), in_ascii(&escaped(value)), of_bytes(value)];
            forms.sort();
            forms.dedup();
            values.extend(forms.into_iter().map(|form| (form, format!("[secret {name}]"))));
        }
        // The longest first: one secret may be part of another.
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Redaction { values }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (value, instead) in &self.values {
            if text.contains(value) {
                text = Cow::Owned(text.replace(value, instead));
            }
        }
        text
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.values.iter().any(|(value, _)| text.contains(value))
    }

    /// In bytes, which need not be text.
    pub(crate) fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let mut bytes = bytes;
        for (value, instead) in &self.values {
            let mut from = 0;
            while let Some(at) = find(&bytes[from..], value.as_bytes()) {
                bytes.splice(from + at..from + at + value.len(), instead.bytes());
                from += at + instead.len();
            }
        }
        bytes
    }

    /// In a text that was cut at its end, perhaps in the middle of a secret. What follows the last `…` tells of the cut.
    pub(crate) fn cut_text(&self, text: &str) -> String {
        let text = self.text(text);
        let end = text.rfind('…').unwrap_or(text.len());
        let begun = self.begun(text[..end].as_bytes());
        let halves = self.values.iter().filter(|(value, _)| begun >= SHORTEST && value.len() <= 2 * begun);
        let begins =
            |value: &str| text.as_bytes()[..end].ends_with(&value.as_bytes()[..begun.min(value.len())]);
        let half = halves.into_iter().find(|(value, _)| begins(value));
        match half {
            Some((_, instead)) => format!("{}{instead}{}", &text[..end - begun], &text[end..]),
            None => text.into_owned(),
        }
    }

    /// How many of the last bytes may be the beginning of a secret whose rest has not come yet.
    pub(crate) fn begun(&self, bytes: &[u8]) -> usize {
        let begun = |value: &String| {
            let most = bytes.len().min(value.len() - 1);
            (1..=most).rev().find(|length| bytes.ends_with(&value.as_bytes()[..*length])).unwrap_or(0)
        };
        self.values.iter().map(|(value, _)| begun(value)).max().unwrap_or(0)
    }

    pub(crate) fn error(&self, error: RunError) -> RunError {
        RunError {
            type_name: self.text(&error.type_name).into_owned(),
            message: self.cut_text(&error.message),
            traceback: error.traceback.map(|traceback| self.cut_text(&traceback)),
        }
    }

    /// In all texts of a JSON value, keys included, and in bytes.
    pub(crate) fn json(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text).into_owned()),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.json(item)).collect()),
            Value::Object(fields) if fields.len() == 1 && fields.contains_key("$bytes") => {
                self.packed(fields)
            }
            Value::Object(fields) if fields.len() == 1 && fields.contains_key("$described") => {
                self.described(&fields["$described"])
            }
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (self.text(&key).into_owned(), self.json(value)))
                    .collect(),
            ),
            other => other,
        }
    }

    fn packed(&self, fields: serde_json::Map<String, Value>) -> Value {
        match fields["$bytes"].as_str().and_then(|text| STANDARD.decode(text).ok()) {
            Some(bytes) => json!({ "$bytes": STANDARD.encode(self.bytes(bytes)) }),
            None => Value::Object(fields),
        }
    }

    /// A description may be cut.
    fn described(&self, description: &Value) -> Value {
        let text = |field: &str| description[field].as_str().map(|text| self.cut_text(text));
        json!({ "$described": { "type": text("type"), "text": text("text") } })
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// With all but ASCII as `\u` escapes, as Python's `json` writes it.
fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            let mut units = [0; 2];
            ascii.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    ascii
}

/// As it stands inside the quotes of a JSON text.
fn escaped(value: &str) -> String {
    let quoted = Value::String(value.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As Python shows the bytes of a text.
fn of_bytes(value: &str) -> String {
    let mut shown = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'\n' => shown.push_str("\\n"),
            b'\r' => shown.push_str("\\r"),
            b'\t' => shown.push_str("\\t"),
            b'\\' => shown.push_str("\\\\"),
            b' '..=b'~' => shown.push(byte.into()),
            other => shown.push_str(&format!("\\x{other:02x}")),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_struck_out_of_keys_values_and_the_middle_of_texts() {
        let redaction = Redaction::of([("KEY", "s3cret"), ("LONG", "s3cret-and-more")]);
        let given = json!({"a s3cret key": ["x=s3cret", {"n": 1, "t": "s3cret-and-more"}]});
        let expected = json!({"a [secret KEY] key": ["x=[secret KEY]", {"n": 1, "t": "[secret LONG]"}]});
        assert_eq!(redaction.json(given), expected);
    }

    #[test]
    fn a_secret_is_struck_out_as_it_is_escaped() {
        let redaction = Redaction::of([("KEY", "line\nbreak")]);
        assert_eq!(redaction.text(r#"{"a": "line\nbreak"}"#), r#"{"a": "[secret KEY]"}"#);
    }

    #[test]
    fn a_secret_is_struck_out_as_python_writes_it_in_json_and_as_bytes() {
        let redaction = Redaction::of([("KEY", "schlüssel")]);
        assert_eq!(redaction.text(r#""schl\u00fcssel""#), r#""[secret KEY]""#);
        assert_eq!(redaction.text(r"b'schl\xc3\xbcssel'"), "b'[secret KEY]'");
        let packed = STANDARD.encode("a schlüssel b");
        let expected = json!({"$bytes": STANDARD.encode("a [secret KEY] b")});
        assert_eq!(redaction.json(json!({"$bytes": packed})), expected);
    }

    #[test]
    fn most_of_a_secret_at_a_cut_is_struck_out() {
        let redaction = Redaction::of([("KEY", "s3cret-and-long")]);
        assert_eq!(redaction.cut_text("x s3cret-and-… (99 characters)"), "x [secret KEY]… (99 characters)");
        assert_eq!(redaction.cut_text("class"), "class");
        let described = |text: &str| json!({"$described": {"type": "str", "text": text}});
        assert_eq!(redaction.json(described("s3cret-an… (9)")), described("[secret KEY]… (9)"));
    }

    #[test]
    fn what_may_become_a_secret_is_known() {
        let redaction = Redaction::of([("KEY", "s3cret"), ("LONG", "first\nsecond")]);
        assert_eq!(redaction.begun(b"as s3c"), 3);
        assert_eq!(redaction.begun(b"first\n"), 6);
        assert_eq!(redaction.begun(b"nothing here"), 0);
    }

    #[test]
    fn values_too_short_to_be_secret_stay() {
        assert_eq!(Redaction::of([("KEY", "yes")]).text("yes, sir"), "yes, sir");
    }
}
