//! Storage: JSON values that outlive the Runs that keep them, each under a key of a scope. A scope belongs to a Function, to a Graph
//! or to the brain.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use crate::name::EntryName;

/// What a key may have at most, in characters.
pub const MAX_KEY_CHARS: usize = 200;

/// What a value may have at most, as JSON. A larger one would be read and written as a whole for every change of a part.
pub const MAX_VALUE_BYTES: usize = 256 << 10;

/// How many keys a scope may have. More are a table, and belong into a database.
pub const MAX_KEYS: u32 = 10_000;

/// Which values a Function asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageScope {
    /// Those of the Function that the Run executes.
    Function,
    /// Those of the Graph that called it, directly or through others.
    Graph,
    /// Those of everybody.
    Brain,
}

/// Whose values they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StorageOwner {
    Function(EntryName),
    Graph(EntryName),
    Brain,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StorageError {
    #[error("the scope must be \"function\", \"graph\" or \"brain\"")]
    Scope,
    #[error("a key has 1 to {MAX_KEY_CHARS} characters and no control characters")]
    Key,
    #[error(
        "a stored value may have at most {MAX_VALUE_BYTES} bytes as JSON, not {bytes}; split it over several keys, or write it with `files.write`"
    )]
    TooLarge { bytes: usize },
    #[error("`{owner}` has {MAX_KEYS} keys and can have no more; remove some with `storage.remove`")]
    Full { owner: StorageOwner },
    #[error("no graph called this run; use the scope \"function\" or \"brain\"")]
    NoGraph,
    #[error("whoever started this run may not use the key; its patterns do not match it")]
    Denied,
}

impl FromStr for StorageScope {
    type Err = StorageError;

    fn from_str(text: &str) -> Result<StorageScope, StorageError> {
        match text {
            "function" => Ok(StorageScope::Function),
            "graph" => Ok(StorageScope::Graph),
            "brain" => Ok(StorageScope::Brain),
            _ => Err(StorageError::Scope),
        }
    }
}

/// As it is stored and shown: `function:NAME`, `graph:NAME` or `brain`.
impl fmt::Display for StorageOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageOwner::Function(name) => write!(f, "function:{name}"),
            StorageOwner::Graph(name) => write!(f, "graph:{name}"),
            StorageOwner::Brain => f.write_str("brain"),
        }
    }
}

pub fn check_key(key: &str) -> Result<(), StorageError> {
    let is_key =
        !key.is_empty() && key.chars().count() <= MAX_KEY_CHARS && !key.contains(|c: char| c.is_control());
    if is_key { Ok(()) } else { Err(StorageError::Key) }
}

pub fn check_value(value: &Value) -> Result<(), StorageError> {
    let bytes = value.to_string().len();
    if bytes <= MAX_VALUE_BYTES { Ok(()) } else { Err(StorageError::TooLarge { bytes }) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_short_text_is_a_key() {
        for key in ["a", "last seen", "Größe: 3/4", &"ü".repeat(MAX_KEY_CHARS)] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        for key in ["", "a\nb", "a\0", &"a".repeat(MAX_KEY_CHARS + 1)] {
            assert_eq!(check_key(key), Err(StorageError::Key), "{key:?}");
        }
    }

    #[test]
    fn a_value_is_measured_as_json() {
        assert_eq!(check_value(&json!("x".repeat(MAX_VALUE_BYTES - 2))), Ok(()));
        let bytes = MAX_VALUE_BYTES + 1;
        assert_eq!(
            check_value(&json!("x".repeat(MAX_VALUE_BYTES - 1))),
            Err(StorageError::TooLarge { bytes })
        );
    }

    #[test]
    fn a_scope_is_one_of_three() {
        assert_eq!("graph".parse(), Ok(StorageScope::Graph));
        assert_eq!("Graph".parse::<StorageScope>(), Err(StorageError::Scope));
    }
}
