//! Texts of a certain form, and the tagged values that stand for the same.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::input::tagged::tag;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Plain,
    DateTime,
    Date,
    Time,
    Bytes,
    Uuid,
}

impl Text {
    pub(super) fn of(schema: &Map<String, Value>) -> Text {
        let keyword = |key: &str| schema.get(key).and_then(Value::as_str);
        match (keyword("format"), keyword("contentEncoding")) {
            (Some("date-time"), _) => Text::DateTime,
            (Some("date"), _) => Text::Date,
            (Some("time"), _) => Text::Time,
            (Some("uuid"), _) => Text::Uuid,
            (_, Some("base64")) => Text::Bytes,
            _ => Text::Plain,
        }
    }

    pub(super) fn fits(self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.fits_text(text),
            _ => tag(value).is_some_and(|(tag, _)| self.fits_tag(tag)),
        }
    }

    fn fits_tag(self, tag: &str) -> bool {
        match self {
            Text::DateTime => tag == "$datetime",
            // A `datetime` is a `date` to Python too.
            Text::Date => tag == "$date" || tag == "$datetime",
            Text::Time => tag == "$time",
            Text::Bytes => tag == "$bytes",
            Text::Plain | Text::Uuid => false,
        }
    }

    fn fits_text(self, text: &str) -> bool {
        match self {
            Text::Plain => true,
            Text::DateTime => text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok(),
            Text::Date => text.parse::<Date>().is_ok(),
            Text::Time => text.parse::<Time>().is_ok(),
            Text::Bytes => is_base64(text),
            Text::Uuid => Uuid::parse_str(text).is_ok(),
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Text::Plain => "a string",
            Text::DateTime => "a date and time such as `2026-01-31T09:00:00Z`",
            Text::Date => "a date such as `2026-01-31`",
            Text::Time => "a time of day such as `09:00:00`",
            Text::Bytes => "bytes in base64",
            Text::Uuid => "a UUID",
        }
    }
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(digit)
}
