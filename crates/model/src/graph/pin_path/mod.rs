//! Pins with a path into their value: `r_$_0_#_k` and `r[0].k` are the same.
//!
//! On the output side a path selects a part of what the pin gives ([`select`]); on the input side it says which part of
//! what the pin takes arrives there ([`build`]). A path is printed as it was written.

mod build;
mod parse;
mod select;

use std::fmt;
use std::hash::{Hash, Hasher};

pub use self::build::{BuildError, Gaps, MAX_GAPS, MAX_INDEX, write_at};
pub use self::parse::{MAX_PARTS, PathError};
pub use self::select::SelectError;

#[derive(Clone, Debug)]
pub struct PinPath {
    written: String,
    pin: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A key of an object. The attribute `_@_a` of the 2024 server is one too: values are JSON.
    Key(String),
    /// Below zero counts from the end.
    Index(i64),
}

impl PinPath {
    /// The pin without its path.
    pub fn pin(&self) -> &str {
        &self.pin
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub fn is_whole(&self) -> bool {
        self.parts.is_empty()
    }

    /// As it is written in the content.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

/// How a path is spelled makes no difference.
impl PartialEq for PinPath {
    fn eq(&self, other: &PinPath) -> bool {
        (&self.pin, &self.parts) == (&other.pin, &other.parts)
    }
}

impl Eq for PinPath {}

impl Hash for PinPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.pin, &self.parts).hash(state);
    }
}

impl fmt::Display for PinPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Key(key) => write!(f, "the key `{key}`"),
            Part::Index(index) => write!(f, "an element at {index}"),
        }
    }
}

/// A path up to some part, as a reader knows it: `r[0].k`.
pub(super) fn place(pin: &str, parts: &[Part]) -> String {
    let mut text = pin.to_owned();
    for part in parts {
        match part {
            Part::Index(index) => text.push_str(&format!("[{index}]")),
            Part::Key(key) if parse::is_word(key) => text.push_str(&format!(".{key}")),
            Part::Key(key) => text.push_str(&format!("[{key:?}]")),
        }
    }
    text
}
