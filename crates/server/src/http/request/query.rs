//! The query string, read into the types of a route, and the types of its values.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use jiff::Timestamp;
use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::field_error::FieldError;
use crate::http::problem::Problem;
use crate::http::state::Door;

pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Door> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Self, Problem> {
        parse(parts.uri.query().unwrap_or_default()).map(Query)
    }
}

/// Names that are not known have been refused before: see [`super::query_names`].
fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs = form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name, Text(value)));
    let fields = MapDeserializer::new(pairs);
    serde_path_to_error::deserialize(fields)
        .map_err(|error| error.inner().problem("bad_query", &error.path().to_string(), "the query"))
}

/// One value: whatever its type reads it as.
struct Text<'a>(Cow<'a, str>);

impl<'de> Text<'de> {
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match (self.0.parse::<u64>(), self.0.parse::<i64>(), self.0.parse::<f64>()) {
            (Ok(number), _, _) => visitor.visit_u64(number),
            (_, Ok(number), _) => visitor.visit_i64(number),
            (_, _, Ok(number)) => visitor.visit_f64(number),
            // It refuses the text, and says what it takes.
            _ => visitor.visit_str(&self.0),
        }
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
            self.number(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match &self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_str(text),
        }
        .map_err(|error| match error {
            FieldError::Custom(why) => FieldError::Custom(format!("`{}`: {why}", self.0)),
            error => error,
        })
    }

    numbers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16 deserialize_i32
        deserialize_i64 deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0.parse() {
            Ok(truth) => visitor.visit_bool(truth),
            Err(_) => visitor.visit_str(&self.0),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_some(self)
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
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, FieldError> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// How many are asked for: from `LEAST` to `MOST`, and `USUAL` where nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count<const LEAST: u32, const MOST: u32, const USUAL: u32>(u32);

/// Of a list.
pub(crate) type Limit = Count<1, 1000, 100>;

impl<const LEAST: u32, const MOST: u32, const USUAL: u32> Count<LEAST, MOST, USUAL> {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32, const USUAL: u32> Default for Count<LEAST, MOST, USUAL> {
    fn default() -> Self {
        Count(USUAL)
    }
}

impl<'de, const LEAST: u32, const MOST: u32, const USUAL: u32> Deserialize<'de>
    for Count<LEAST, MOST, USUAL>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(Counting::<LEAST, MOST>).map(Count)
    }
}

struct Counting<const LEAST: u32, const MOST: u32>;

impl<const LEAST: u32, const MOST: u32> Visitor<'_> for Counting<LEAST, MOST> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer from {LEAST} to {MOST}")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
        let fits = u32::try_from(number).ok().filter(|number| (LEAST..=MOST).contains(number));
        fits.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

/// A time, if one is given, for fields of queries and of bodies.
pub(crate) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text: Option<Cow<'de, str>> = Option::deserialize(deserializer)?;
    let wrong =
        |text: &str| D::Error::invalid_value(Unexpected::Str(text), &"a time such as `2026-01-31T09:00:00Z`");
    text.map(|text| text.parse().map_err(|_| wrong(&text))).transpose()
}

/// Several values, joined by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommaSeparated<T>(pub(crate) Vec<T>);

impl<T> Default for CommaSeparated<T> {
    fn default() -> Self {
        CommaSeparated(Vec::new())
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for CommaSeparated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Separating(PhantomData)).map(CommaSeparated)
    }
}

struct Separating<T>(PhantomData<T>);

impl<T: DeserializeOwned> Visitor<'_> for Separating<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values separated by commas")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        text.split(',').map(|one| T::deserialize(one.trim().to_owned().into_deserializer())).collect()
    }
}
