//! Values that go into and come out of cells: what JSON can say, and what Python has besides. On the wire, and for whoever
//! stores them, the rest is a one-key object whose key begins with `$`; `python/values.py` is the other half.

mod decode;
mod encode;

#[cfg(test)]
mod tests;

/// A Python value. The order of a dict's keys is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit, in hexadecimal with sign: `-0x1f…`.
    BigInt(String),
    Float(f64),
    Str(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Set(Vec<Value>),
    FrozenSet(Vec<Value>),
    /// A dict whose keys are all text.
    Map(Vec<(String, Value)>),
    /// A dict with other keys.
    Dict(Vec<(Value, Value)>),
    /// ISO 8601, as Python writes it.
    DateTime(String),
    Date(String),
    Time(String),
    /// Days, seconds, microseconds.
    TimeDelta([i64; 3]),
    Decimal(String),
    /// What stands for a value that could not be carried or was cut.
    Described {
        type_name: String,
        text: String,
    },
}

impl Value {
    /// An empty input.
    pub fn empty_map() -> Value {
        Value::Map(Vec::new())
    }

    /// The value under a key of a dict with text keys.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether it is, anywhere, only the description of a value.
    pub fn is_described(&self) -> bool {
        match self {
            Value::Described { .. } => true,
            Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
                items.iter().any(Value::is_described)
            }
            Value::Map(pairs) => pairs.iter().any(|(_, value)| value.is_described()),
            Value::Dict(pairs) => pairs.iter().any(|(key, value)| key.is_described() || value.is_described()),
            _ => false,
        }
    }

    /// How many values it is, those inside of it counted too.
    pub(crate) fn count(&self) -> usize {
        let all = |items: &[Value]| items.iter().map(Value::count).sum::<usize>();
        1 + match self {
            Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
                all(items)
            }
            Value::Map(pairs) => pairs.iter().map(|(_, value)| value.count()).sum(),
            Value::Dict(pairs) => pairs.iter().map(|(key, value)| key.count() + value.count()).sum(),
            _ => 0,
        }
    }

    /// As JSON, with tags for what JSON lacks.
    pub fn to_json(&self) -> serde_json::Value {
        // Values hold no floats that JSON lacks and no keys that are not text, so this cannot fail.
        serde_json::to_value(self).unwrap_or(serde_json::Value::Null)
    }

    /// From JSON with tags. An object whose one key begins with `$` and is no tag is refused.
    pub fn from_json(json: &serde_json::Value) -> Result<Value, serde_json::Error> {
        serde::Deserialize::deserialize(json)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Str(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}
