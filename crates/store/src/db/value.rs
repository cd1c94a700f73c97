//! A value on its way into or out of a database, the same seven kinds for both.
//!
//! How a kind is written on the wire is left to `sqlite` and `postgres`; how it is read from a row, to `row`.

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use crate::Error;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    /// `boolean` in PostgreSQL, the integer 0 or 1 in SQLite.
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Blob(Vec<u8>),
    /// `uuid` in PostgreSQL, a blob of 16 bytes in SQLite.
    Uuid(Uuid),
    /// A number that no signed column holds. Kept until it is bound, where it is refused as an error of the statement;
    /// wrapping or cutting it here would store another number in silence.
    TooLarge(u64),
}

impl Value {
    /// JSON is text in both databases: `jsonb` refuses `\u0000` and forgets the order of keys.
    pub(crate) fn json(value: &impl Serialize) -> Result<Value, Error> {
        serde_json::to_string(value).map(Value::Text).map_err(|source| Error::Unwritable { source })
    }

    /// A list of texts as JSON, each as it would be stored alone.
    pub(crate) fn json_texts(texts: &[String]) -> Result<Value, Error> {
        let stored: Vec<String> = texts.iter().map(|text| text.replace(NUL, PICTURE_OF_NUL)).collect();
        Value::json(&stored)
    }

    /// How long it is, if it is text.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// What the value is, without saying what it holds, for messages and logs.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Text(_) => "text",
            Value::Blob(_) => "a blob",
            Value::Uuid(_) => "a UUID",
            Value::TooLarge(_) => "an integer above 2^63 - 1",
        }
    }
}

/// PostgreSQL's text cannot hold U+0000. Its visible picture U+2400 takes its place on both databases, so that what was
/// accepted by one is accepted by the other and reads the same. JSON is unaffected: there it is escaped already.
const NUL: char = '\0';
const PICTURE_OF_NUL: &str = "\u{2400}";

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(if text.contains(NUL) { text.replace(NUL, PICTURE_OF_NUL) } else { text })
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::from(text.to_owned())
    }
}

impl From<f64> for Value {
    /// SQLite turns NaN into NULL; doing it here makes PostgreSQL agree.
    fn from(float: f64) -> Value {
        if float.is_nan() { Value::Null } else { Value::Float(float) }
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        i64::try_from(number).map_or(Value::TooLarge(number), Value::Int)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::from(number as u64)
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Value {
        Value::Int(time.as_microsecond())
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Value {
        Value::Text(json.to_string())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),* $(,)?) => {
        $(impl From<$source> for Value {
            fn from(value: $source) -> Value {
                Value::$variant(value.into())
            }
        })*
    };
}

from! {
    bool => Bool,
    i32 => Int,
    i64 => Int,
    u8 => Int,
    u16 => Int,
    u32 => Int,
    Vec<u8> => Blob,
    &[u8] => Blob,
    Uuid => Uuid,
}
