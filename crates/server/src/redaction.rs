//! Redaction: secret values are struck out of whatever is recorded or told, wherever they stand in it.

use std::borrow::Cow;

use serde_json::Value;

/// Values shorter than this stand in too many innocent texts to be struck out.
const SHORTEST: usize = 4;

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
            let escaped = escaped(value);
            let forms = [Some(value.to_owned()), (escaped != value).then_some(escaped)];
            values.extend(forms.into_iter().flatten().map(|form| (form, format!("[secret {name}]"))));
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

    /// In all texts of a JSON value, keys included.
    pub(crate) fn json(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text).into_owned()),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.json(item)).collect()),
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (self.text(&key).into_owned(), self.json(value)))
                    .collect(),
            ),
            other => other,
        }
    }
}

/// As it stands inside the quotes of a JSON text.
fn escaped(value: &str) -> String {
    let quoted = Value::String(value.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
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
    fn values_too_short_to_be_secret_stay() {
        assert_eq!(Redaction::of([("KEY", "yes")]).text("yes, sir"), "yes, sir");
    }
}
