//! Writing values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Value;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::None => out.serialize_unit(),
            Value::Bool(yes) => out.serialize_bool(*yes),
            Value::Int(number) => out.serialize_i64(*number),
            Value::Float(number) if number.is_finite() => out.serialize_f64(*number),
            Value::Float(number) => tag(out, "$float", &not_finite(*number)),
            Value::Str(text) => out.serialize_str(text),
            Value::List(items) => out.collect_seq(items),
            Value::Map(pairs) => map(out, pairs),
            Value::BigInt(digits) => tag(out, "$int", digits),
            Value::Bytes(bytes) => tag(out, "$bytes", &STANDARD.encode(bytes)),
            Value::Tuple(items) => tag(out, "$tuple", items),
            Value::Set(items) => tag(out, "$set", items),
            Value::FrozenSet(items) => tag(out, "$frozenset", items),
            Value::Dict(pairs) => tag(out, "$dict", pairs),
            Value::DateTime(text) => tag(out, "$datetime", text),
            Value::Date(text) => tag(out, "$date", text),
            Value::Time(text) => tag(out, "$time", text),
            Value::TimeDelta(parts) => tag(out, "$timedelta", parts),
            Value::Decimal(text) => tag(out, "$decimal", text),
            Value::Described { type_name, text } => {
                let inner = Value::Map(vec![
                    ("type".to_owned(), Value::Str(type_name.clone())),
                    ("text".to_owned(), Value::Str(text.clone())),
                ]);
                tag(out, "$described", &inner)
            }
        }
    }
}

/// A dict of one key that looks like a tag is written as pairs, so that reading gives the same dict back.
fn map<S: Serializer>(out: S, pairs: &[(String, Value)]) -> Result<S::Ok, S::Error> {
    if let [(key, _)] = pairs
        && key.starts_with('$')
    {
        return tag(out, "$dict", &pairs);
    }
    out.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

fn tag<S: Serializer, T: Serialize + ?Sized>(out: S, name: &str, inner: &T) -> Result<S::Ok, S::Error> {
    let mut map = out.serialize_map(Some(1))?;
    map.serialize_entry(name, inner)?;
    map.end()
}

fn not_finite(number: f64) -> &'static str {
    if number.is_nan() {
        "nan"
    } else if number > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}
