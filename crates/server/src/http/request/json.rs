//! JSON bodies, read into the types of a route. A valid body is read once, quickly; an invalid one is read a second time,
//! slowly, to find out which field is wrong.

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::{de::DeserializeOwned, forward_to_deserialize_any};
use serde_json::Value;

use super::field_error::FieldError;
use crate::http::problem::Problem;

pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| match bytes {
        [] => Problem::of("bad_json", "the body is empty"),
        bytes => explain::<T>(bytes).unwrap_or_else(|| unexplained(&error)),
    })
}

/// What is not JSON, or was read piece by piece, is refused with the place where it breaks off.
pub(super) fn unexplained(error: &serde_json::Error) -> Problem {
    if error.is_data() {
        return Problem::of("bad_body", format!("the body does not match the schema of this route: {error}"));
    }
    Problem::of("bad_json", format!("the body is not JSON: {error}"))
}

fn explain<T: DeserializeOwned>(bytes: &[u8]) -> Option<Problem> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let error = serde_path_to_error::deserialize::<_, T>(Node(&value)).err()?;
    Some(error.inner().problem("bad_body", &error.path().to_string(), "the body"))
}

/// A value that is read with errors that say what is wrong.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Value);

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(Node));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(fields) => visitor.visit_map(entries(fields)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.0 {
            // Nobody means to send the fields in their order.
            Value::Array(_) => Err(FieldError::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Object(fields) => visitor.visit_enum(MapAccessDeserializer::new(entries(fields))),
            other => Err(FieldError::invalid_type(unexpected(other), &"string or map")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

type Entries<'a> = MapDeserializer<'a, Box<dyn Iterator<Item = (&'a str, Node<'a>)> + 'a>, FieldError>;

fn entries(fields: &serde_json::Map<String, Value>) -> Entries<'_> {
    MapDeserializer::new(Box::new(fields.iter().map(|(name, value)| (name.as_str(), Node(value)))))
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match number.as_u64() {
            Some(number) => Unexpected::Unsigned(number),
            None => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl<'de> IntoDeserializer<'de, FieldError> for Node<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
