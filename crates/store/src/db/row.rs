//! One row of a result and the typed access to its columns.
//!
//! The getters hide how the databases differ: SQLite returns a boolean as an integer and a UUID as a blob.

use jiff::Timestamp;
use model::version::ContentHash;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use uuid::Uuid;

use super::value::Value;
use crate::Error;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    values: Vec<Value>,
}

impl Row {
    pub(super) fn new(values: Vec<Value>) -> Row {
        Row { values }
    }

    /// The text without a copy, for what is parsed at once.
    pub(crate) fn str(&self, column: usize) -> Result<&str, Error> {
        match self.value(column)? {
            Value::Text(text) => Ok(text),
            other => Err(mismatch(column, "text", other)),
        }
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, column: usize) -> Result<T, Error> {
        serde_json::from_str(self.str(column)?).map_err(|source| Error::Json { column, source })
    }

    pub(crate) fn optional_json<T: DeserializeOwned>(&self, column: usize) -> Result<Option<T>, Error> {
        if self.value(column)? == &Value::Null { Ok(None) } else { self.json(column).map(Some) }
    }

    /// A text that stands for one of our types: a state, a kind, a name, an actor.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: usize) -> Result<T, Error> {
        let text: StrDeserializer<'_, serde_json::Error> = self.str(column)?.into_deserializer();
        T::deserialize(text).map_err(|source| Error::Json { column, source })
    }

    pub(crate) fn optional_word<T: DeserializeOwned>(&self, column: usize) -> Result<Option<T>, Error> {
        if self.value(column)? == &Value::Null { Ok(None) } else { self.word(column).map(Some) }
    }

    pub(crate) fn hash(&self, column: usize) -> Result<ContentHash, Error> {
        let bytes = self.blob(column)?;
        let found =
            Error::Row { column, expected: "a hash of 32 bytes", found: format!("{} bytes", bytes.len()) };
        bytes.try_into().map(ContentHash).map_err(|_| found)
    }

    pub(crate) fn optional_hash(&self, column: usize) -> Result<Option<ContentHash>, Error> {
        if self.value(column)? == &Value::Null { Ok(None) } else { self.hash(column).map(Some) }
    }

    fn value(&self, column: usize) -> Result<&Value, Error> {
        self.values.get(column).ok_or_else(|| Error::Row {
            column,
            expected: "one of the columns",
            found: format!("beyond the {} of the row", self.values.len()),
        })
    }

    fn read<T>(
        &self,
        column: usize,
        expected: &'static str,
        convert: fn(&Value) -> Option<T>,
    ) -> Result<T, Error> {
        let value = self.value(column)?;
        convert(value).ok_or_else(|| mismatch(column, expected, value))
    }
}

fn mismatch(column: usize, expected: &'static str, found: &Value) -> Error {
    Error::Row { column, expected, found: found.kind().to_owned() }
}

macro_rules! getters {
    ($($name:ident, $optional:ident: $type:ty = $expected:literal, $convert:expr;)*) => {
        #[allow(dead_code, reason = "a full set: every kind of column can be read, also if none is optional yet")]
        impl Row {
            $(pub(crate) fn $name(&self, column: usize) -> Result<$type, Error> {
                self.read(column, $expected, $convert)
            }

            pub(crate) fn $optional(&self, column: usize) -> Result<Option<$type>, Error> {
                if self.value(column)? == &Value::Null { Ok(None) } else { self.$name(column).map(Some) }
            })*
        }
    };
}

getters! {
    text, optional_text: String = "text", |value| match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    int, optional_int: i64 = "an integer", |value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    };
    unsigned, optional_unsigned: u64 = "an integer not below zero", |value| match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    small, optional_small: u32 = "a small integer not below zero", |value| match value {
        Value::Int(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    signed, optional_signed: i32 = "a small integer", |value| match value {
        Value::Int(number) => i32::try_from(*number).ok(),
        _ => None,
    };
    float, optional_float: f64 = "a float", |value| match value {
        Value::Float(number) => Some(*number),
        // SQLite answers an expression such as `max(0, 1.5)` with whichever kind won.
        Value::Int(number) => Some(*number as f64),
        _ => None,
    };
    bool, optional_bool: bool = "a boolean", |value| match value {
        Value::Bool(truth) => Some(*truth),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        _ => None,
    };
    blob, optional_blob: Vec<u8> = "a blob", |value| match value {
        Value::Blob(bytes) => Some(bytes.clone()),
        _ => None,
    };
    uuid, optional_uuid: Uuid = "a UUID", |value| match value {
        Value::Uuid(id) => Some(*id),
        Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    };
    timestamp, optional_timestamp: Timestamp = "a time in microseconds", |value| match value {
        Value::Int(microseconds) => Timestamp::from_microsecond(*microseconds).ok(),
        _ => None,
    };
}
