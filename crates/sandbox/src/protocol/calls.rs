//! The record of Calls, as the Python side writes it: in batches, and in few words, because there can be many.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::value::Value;

/// A batch: what began since the last one, and what finished of what was told before.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calls {
    pub(crate) begun: Vec<CallEntry>,
    pub(crate) finished: Vec<CallEnd>,
    /// Names of the parameters of functions that were not called before.
    pub(crate) parameters: Vec<(usize, Vec<String>)>,
}

/// One Call, on the wire a list: its number, the number of its parent (0 is the entry itself), function, microseconds since the
/// start, arguments; and if it has finished already, what a [`CallEnd`] has after the number.
#[derive(Debug)]
pub(crate) struct CallEntry {
    pub(crate) number: u32,
    pub(crate) parent: u32,
    pub(crate) function: usize,
    pub(crate) at_us: u64,
    pub(crate) arguments: CallArguments,
    pub(crate) end: Option<CallEnd>,
}

/// How a Call finished, on the wire a list: its number, duration in microseconds, output, error if there is one.
#[derive(Debug)]
pub(crate) struct CallEnd {
    pub(crate) number: u32,
    pub(crate) duration_us: u64,
    pub(crate) output: Value,
    pub(crate) error: Option<CallFailure>,
}

/// On the wire a list, if none is named.
#[derive(Debug, Default)]
pub(crate) struct CallArguments {
    pub(crate) positional: Vec<Value>,
    pub(crate) named: Vec<(String, Value)>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CallFailure {
    #[serde(rename = "type")]
    pub(crate) type_name: String,
    pub(crate) message: String,
}

impl<'de> Deserialize<'de> for CallEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CallEntry, D::Error> {
        from.deserialize_seq(EntryReader)
    }
}

struct EntryReader;

impl<'de> Visitor<'de> for EntryReader {
    type Value = CallEntry;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a call")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CallEntry, A::Error> {
        let number = next(&mut items)?;
        Ok(CallEntry {
            number,
            parent: next(&mut items)?,
            function: next(&mut items)?,
            at_us: next(&mut items)?,
            arguments: next(&mut items)?,
            end: match items.next_element()? {
                Some(duration_us) => Some(end(number, duration_us, &mut items)?),
                None => None,
            },
        })
    }
}

impl<'de> Deserialize<'de> for CallEnd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CallEnd, D::Error> {
        from.deserialize_seq(EndReader)
    }
}

struct EndReader;

impl<'de> Visitor<'de> for EndReader {
    type Value = CallEnd;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the end of a call")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CallEnd, A::Error> {
        let (number, duration_us) = (next(&mut items)?, next(&mut items)?);
        end(number, duration_us, &mut items)
    }
}

fn end<'de, A: SeqAccess<'de>>(number: u32, duration_us: u64, items: &mut A) -> Result<CallEnd, A::Error> {
    Ok(CallEnd { number, duration_us, output: next(items)?, error: items.next_element()? })
}

fn next<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(items: &mut A) -> Result<T, A::Error> {
    items.next_element()?.ok_or_else(|| A::Error::custom("a call is cut short"))
}

impl<'de> Deserialize<'de> for CallArguments {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CallArguments, D::Error> {
        from.deserialize_any(ArgumentsReader)
    }
}

struct ArgumentsReader;

impl<'de> Visitor<'de> for ArgumentsReader {
    type Value = CallArguments;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("arguments")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CallArguments, A::Error> {
        let mut arguments = CallArguments::default();
        while let Some(value) = items.next_element()? {
            arguments.positional.push(value);
        }
        Ok(arguments)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<CallArguments, A::Error> {
        let mut arguments = CallArguments::default();
        while let Some(field) = fields.next_key::<String>()? {
            match field.as_str() {
                "positional" => arguments.positional = fields.next_value()?,
                "named" => arguments.named = fields.next_value::<Named>()?.0,
                _ => return Err(A::Error::unknown_field(&field, &["positional", "named"])),
            }
        }
        Ok(arguments)
    }
}

/// Pairs in their order. No [`Value`], because an argument may be called `$bytes`.
struct Named(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Named, D::Error> {
        from.deserialize_map(NamedReader)
    }
}

struct NamedReader;

impl<'de> Visitor<'de> for NamedReader {
    type Value = Named;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("named arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Named, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = entries.next_entry()? {
            pairs.push(pair);
        }
        Ok(Named(pairs))
    }
}
