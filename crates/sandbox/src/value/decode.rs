//! Reading values. What is read may come from hostile code: sizes and depth are bounded before, by the frames; here every tag
//! must hold what it says.

use std::collections::HashSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        from.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Value, E> {
        Ok(Value::Bool(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or_else(|_| Value::BigInt(format!("{number:#x}")), Value::Int))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Str(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Str(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        while let Some(pair) = entries.next_entry()? {
            pairs.push(pair);
        }
        match pairs.pop() {
            Some((key, inner)) if pairs.is_empty() && key.starts_with('$') => untag(&key, inner)
                .ok_or_else(|| A::Error::custom(format_args!("`{}` is not well formed", cut(&key)))),
            last => {
                pairs.extend(last);
                match twice(&pairs) {
                    Some(key) => Err(A::Error::custom(format_args!("the key `{}` is there twice", cut(key)))),
                    None => Ok(Value::Map(pairs)),
                }
            }
        }
    }
}

/// A key that is there more than once, which no dict has: who reads the first and who reads the last would see two values.
fn twice(pairs: &[(String, Value)]) -> Option<&str> {
    const FEW: usize = 16;
    let mut keys = pairs.iter().map(|(key, _)| key.as_str()).enumerate();
    if pairs.len() <= FEW {
        let earlier = |(place, key): &(usize, &str)| pairs[..*place].iter().any(|(other, _)| other == key);
        return keys.find(earlier).map(|(_, key)| key);
    }
    let mut seen = HashSet::with_capacity(pairs.len());
    keys.find(|(_, key)| !seen.insert(*key)).map(|(_, key)| key)
}

fn cut(key: &str) -> String {
    key.chars().take(20).collect()
}

fn untag(tag: &str, inner: Value) -> Option<Value> {
    match (tag, inner) {
        ("$tuple", Value::List(items)) => Some(Value::Tuple(items)),
        ("$set", Value::List(items)) => Some(Value::Set(items)),
        ("$frozenset", Value::List(items)) => Some(Value::FrozenSet(items)),
        ("$dict", Value::List(pairs)) => dict(pairs),
        ("$timedelta", Value::List(parts)) => time_delta(&parts),
        ("$described", inner @ Value::Map(_)) => described(&inner),
        (tag, Value::Str(text)) => untag_text(tag, text),
        _ => None,
    }
}

fn untag_text(tag: &str, text: String) -> Option<Value> {
    match tag {
        "$bytes" => STANDARD.decode(text).ok().map(Value::Bytes),
        "$int" => is_hexadecimal(&text).then_some(Value::BigInt(text)),
        "$float" => match text.as_str() {
            "nan" => Some(Value::Float(f64::NAN)),
            "inf" => Some(Value::Float(f64::INFINITY)),
            "-inf" => Some(Value::Float(f64::NEG_INFINITY)),
            _ => None,
        },
        "$datetime" => is_time(&text).then_some(Value::DateTime(text)),
        "$date" => is_time(&text).then_some(Value::Date(text)),
        "$time" => is_time(&text).then_some(Value::Time(text)),
        "$decimal" => is_decimal(&text).then_some(Value::Decimal(text)),
        _ => None,
    }
}

fn dict(pairs: Vec<Value>) -> Option<Value> {
    let pairs: Option<Vec<(Value, Value)>> = pairs
        .into_iter()
        .map(|pair| match pair {
            Value::List(both) => <[Value; 2]>::try_from(both).ok().map(|[key, value]| (key, value)),
            _ => None,
        })
        .collect();
    let pairs = pairs?;
    // One text key that begins with `$` had to be written as pairs; it is an ordinary dict again here.
    match <[(Value, Value); 1]>::try_from(pairs) {
        Ok([(Value::Str(key), value)]) => Some(Value::Map(vec![(key, value)])),
        Ok(one) => Some(Value::Dict(one.into())),
        Err(pairs) => Some(Value::Dict(pairs)),
    }
}

fn time_delta(parts: &[Value]) -> Option<Value> {
    match parts {
        [Value::Int(days), Value::Int(seconds), Value::Int(micros)] => {
            Some(Value::TimeDelta([*days, *seconds, *micros]))
        }
        _ => None,
    }
}

fn described(inner: &Value) -> Option<Value> {
    match (inner.get("type")?, inner.get("text")?) {
        (Value::Str(type_name), Value::Str(text)) => {
            Some(Value::Described { type_name: type_name.clone(), text: text.clone() })
        }
        _ => None,
    }
}

fn is_hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).strip_prefix("0x");
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_time(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| b.is_ascii_digit() || b"-:+.T".contains(&b))
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}
