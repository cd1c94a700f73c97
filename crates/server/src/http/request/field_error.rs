//! What is wrong with one field of a request: which field, what was expected, and what was sent.
//!
//! Serde reports an error in parts, but its own errors, and those of `serde_json`, keep only a sentence of it. This type
//! keeps the parts, so that errors in bodies and queries have the same wording, whatever they were read from.

use std::fmt;

use model::changeset::check::nearest;
use serde::de::{self, Expected, Unexpected};
use serde_json::{Value, json};

use crate::http::problem::Problem;

/// Longer values are truncated in messages.
const SHOWN_CHARACTERS: usize = 60;

#[derive(Debug)]
pub(super) enum FieldError {
    Missing {
        field: &'static str,
    },
    Unknown {
        field: String,
        known: &'static [&'static str],
    },
    Twice {
        field: &'static str,
    },
    NotOneOf {
        came: String,
        known: &'static [&'static str],
    },
    Wrong {
        expected: String,
        came: String,
    },
    /// In the words of the type that could not be read.
    Custom(String),
}

impl FieldError {
    /// As a refusal. `path` is where serde was, `whole` what a path without a name stands for.
    pub(super) fn problem(&self, code: &'static str, path: &str, whole: &str) -> Problem {
        let place = self.place(path);
        let subject = if place.is_empty() { whole.to_owned() } else { format!("`{place}`") };
        let mut details = json!({ "field": place });
        let mut detail = |name: &str, value: Value| details[name] = value;
        let (message, hint) = match self {
            FieldError::Missing { .. } => (format!("{subject} is missing"), None),
            FieldError::Unknown { field, known } => {
                detail("expected", json!(known));
                (format!("{subject} is not a field of {whole}"), Some(did_you_mean(field, known)))
            }
            FieldError::Twice { .. } => (format!("{subject} is given twice"), None),
            FieldError::NotOneOf { came, known } => {
                detail("expected", json!(known));
                detail("came", json!(came));
                let hint = near(came, known);
                (format!("{subject} must be one of {}, not `{}`", listed(known), cut(came)), hint)
            }
            FieldError::Wrong { expected, came } => {
                detail("expected", json!(expected));
                detail("came", json!(came.trim_matches('`')));
                (format!("{subject} must be {expected}, not {came}"), None)
            }
            FieldError::Custom(text) => (format!("{subject} is not valid: {text}"), None),
        };
        let problem = Problem::of(code, message).details(details);
        match hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }

    /// The path of the field that is meant.
    fn place(&self, path: &str) -> String {
        // What stands for the root, and for what cannot be named.
        let path = path.trim_start_matches(['.', '?']);
        let field = match self {
            FieldError::Missing { field } | FieldError::Twice { field } => field,
            FieldError::Unknown { field, .. } => field.as_str(),
            _ => return path.to_owned(),
        };
        let is_named = path == field || path.ends_with(&format!(".{field}"));
        match path {
            "" => field.to_owned(),
            path if is_named => path.to_owned(),
            path => format!("{path}.{field}"),
        }
    }
}

/// The known name that is meant, or all of them.
pub(super) fn did_you_mean(name: &str, known: &[&str]) -> String {
    near(name, known).unwrap_or_else(|| match known {
        [] => "omit it".to_owned(),
        known => format!("allowed are {}", listed(known)),
    })
}

fn near(name: &str, known: &[&str]) -> Option<String> {
    let known: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
    nearest(name, &known).map(|near| format!("did you mean `{near}`?"))
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn cut(text: &str) -> String {
    model::phrase::cut(text, SHOWN_CHARACTERS)
}

/// What a type of Rust is called in JSON.
fn expected(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "f32" | "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a map" => "an object",
        "a sequence" => "a list",
        "string or map" => "a string or an object",
        text if text.starts_with("struct ") => "an object",
        text if text.starts_with("tuple ") || text.starts_with("a tuple ") => "a list",
        text => text,
    }
    .to_owned()
}

/// What a library says of a text that it cannot read, in our words.
pub(super) fn plain(text: &str) -> String {
    match text {
        text if text.starts_with("UUID parsing failed") => "it is not a UUID".to_owned(),
        text => text.to_owned(),
    }
}

fn came(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Str(text) => format!("`{}`", cut(text)),
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("`{value}`"),
        Unexpected::Signed(value) => format!("`{value}`"),
        Unexpected::Float(value) => format!("`{value}`"),
        Unexpected::Unit | Unexpected::Option => "`null`".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}

impl de::Error for FieldError {
    fn custom<T: fmt::Display>(text: T) -> FieldError {
        FieldError::Custom(plain(&text.to_string()))
    }

    fn invalid_type(unexpected: Unexpected<'_>, exp: &dyn Expected) -> FieldError {
        FieldError::Wrong { expected: expected(exp), came: came(unexpected) }
    }

    fn invalid_value(unexpected: Unexpected<'_>, exp: &dyn Expected) -> FieldError {
        // The number is one, and does not fit.
        let expected = match (exp.to_string().as_str(), unexpected) {
            ("u8", _) => "an integer from 0 to 255".to_owned(),
            ("u16", _) => "an integer from 0 to 65535".to_owned(),
            ("u32", _) => format!("an integer from 0 to {}", u32::MAX),
            ("u64" | "usize", Unexpected::Signed(_)) => "an integer of at least 0".to_owned(),
            ("i32", _) => format!("an integer from {} to {}", i32::MIN, i32::MAX),
            _ => expected(exp),
        };
        FieldError::Wrong { expected, came: came(unexpected) }
    }

    fn invalid_length(length: usize, exp: &dyn Expected) -> FieldError {
        FieldError::Wrong { expected: expected(exp), came: format!("{length} items") }
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> FieldError {
        FieldError::NotOneOf { came: variant.to_owned(), known }
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> FieldError {
        FieldError::Unknown { field: field.to_owned(), known }
    }

    fn missing_field(field: &'static str) -> FieldError {
        FieldError::Missing { field }
    }

    fn duplicate_field(field: &'static str) -> FieldError {
        FieldError::Twice { field }
    }
}

/// For those who only print it; a refusal has the place, too.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::Custom(text) => f.write_str(text),
            other => write!(f, "{other:?}"),
        }
    }
}

impl std::error::Error for FieldError {}
