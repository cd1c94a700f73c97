//! Options: what a function can state in its decorator, and reading the values. What they mean is [`crate::access::grants`]' and
//! [`super::run_options`]'s part.

use serde_json::Value;
use thiserror::Error;

use crate::changeset::check::nearest;
use crate::phrase::{cut, list};

/// Everything that a function can state, in the order in which it is exported.
pub const STATEABLE: [&str; 22] = [
    "description",
    "dependencies",
    "requirements",
    "network",
    "secrets",
    "model",
    "brain",
    "files",
    "storage",
    "timeout",
    "memory",
    "processes",
    "retries",
    "idempotent",
    "isolation",
    "concurrency",
    "record",
    "returns",
    "priority",
    "budget",
    "tests",
    "metadata",
];

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    #[error("`{key}` is not an option of functions; {}", meant(key))]
    Unknown { key: String },
    #[error("`{key}` must be {expected}, not `{given}`")]
    Wrong { key: &'static str, expected: &'static str, given: String },
    #[error("`{host}` is not a host; write `host`, `host:port` or `*.domain`, without scheme or path")]
    Host { host: String },
}

/// The option that was meant, or all there are.
fn meant(key: &str) -> String {
    match nearest(key, &STATEABLE.map(str::to_owned)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the options are {}", list(&STATEABLE.map(|key| format!("`{key}`")), "and")),
    }
}

pub(crate) fn wrong(key: &'static str, expected: &'static str, value: &Value) -> OptionError {
    OptionError::Wrong { key, expected, given: cut(&value.to_string(), 80) }
}

pub(crate) fn boolean(key: &'static str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| wrong(key, "True or False", value))
}

/// A number of things of which there is at least one.
pub(crate) fn count(key: &'static str, value: &Value) -> Result<u32, OptionError> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| wrong(key, "an integer above 0", value))
}

/// A day.
pub const LONGEST_MS: u64 = 86_400_000;

/// Seconds as milliseconds, up to a day. Rounded, so that what is exported as seconds reads back as it was.
pub(crate) fn milliseconds(value: &Value) -> Option<u64> {
    let ms = value.as_f64()? * 1000.0;
    (ms > 0.0 && ms <= LONGEST_MS as f64).then(|| (ms.round() as u64).max(1))
}
