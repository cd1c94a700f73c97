//! Names of entries: Python identifiers, optionally behind a dotted prefix (`airtable.create_record`).
//!
//! The last part is what the source defines; the prefix keeps two packs apart.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::input::text_schema::text_schema;
use crate::python::words::{is_builtin, is_identifier, is_keyword};

/// Long enough for any readable name, short enough for an index, a file name and a table column.
pub const MAX_NAME_BYTES: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntryName(String);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("a name is empty; give it at least one letter")]
    Empty,
    #[error("the name `{start}…` has {bytes} bytes; the limit is {MAX_NAME_BYTES}; shorten it")]
    TooLong { start: String, bytes: usize },
    #[error(
        "`{name}` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `{suggestion}`"
    )]
    NotIdentifier { name: String, suggestion: String },
    #[error("`{name}` is a Python keyword and cannot be the name of a function; use `{name}_`")]
    Keyword { name: String },
    #[error(
        "`{name}` is a Python builtin, which a function with that name would shadow; use `{name}_` or a longer name"
    )]
    Builtin { name: String },
}

text_schema!(EntryName, "EntryName", "A name: Python identifiers, joined by dots.", "web.fetch");

impl EntryName {
    /// Checks every part of a dotted name.
    pub fn new(text: &str) -> Result<EntryName, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > MAX_NAME_BYTES {
            return Err(NameError::TooLong { start: text.chars().take(24).collect(), bytes: text.len() });
        }
        for part in text.split('.') {
            check_part(part, text)?;
        }
        let last = text.rsplit('.').next().unwrap_or(text);
        if is_builtin(last) && !text.contains('.') {
            return Err(NameError::Builtin { name: text.to_owned() });
        }
        Ok(EntryName(text.to_owned()))
    }

    /// The name inside the source: what follows the last dot.
    pub fn last(&self) -> &str {
        self.0.rsplit('.').next().unwrap_or(&self.0)
    }

    /// The prefix with its final dot, or nothing.
    pub fn prefix(&self) -> &str {
        &self.0[..self.0.len() - self.last().len()]
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_part(part: &str, whole: &str) -> Result<(), NameError> {
    if !is_identifier(part) {
        return Err(NameError::NotIdentifier { name: whole.to_owned(), suggestion: suggest(whole) });
    }
    if is_keyword(part) {
        return Err(NameError::Keyword { name: part.to_owned() });
    }
    Ok(())
}

/// The nearest identifier: what a person would have typed had they known the rule.
fn suggest(text: &str) -> String {
    let mut out: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).take(40).collect();
    if out.chars().all(|c| c == '_') {
        return "my_function".to_owned();
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for EntryName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        EntryName::new(text)
    }
}

impl TryFrom<String> for EntryName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        EntryName::new(&text)
    }
}

impl From<EntryName> for String {
    fn from(name: EntryName) -> String {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        EntryName::new(text).unwrap_err().to_string()
    }

    #[test]
    fn a_dotted_name_has_a_prefix_and_a_last_part() {
        let name = EntryName::new("airtable.create_record").unwrap();
        assert_eq!((name.prefix(), name.last()), ("airtable.", "create_record"));
        let plain = EntryName::new("add").unwrap();
        assert_eq!((plain.prefix(), plain.last()), ("", "add"));
    }

    #[test]
    fn letters_of_any_language_make_a_name() {
        assert!(EntryName::new("größe").is_ok());
        assert!(EntryName::new("計算").is_ok());
    }

    #[test]
    fn what_is_not_an_identifier_is_refused_with_one_that_is() {
        insta::assert_snapshot!(refused("my-func"), @"`my-func` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `my_func`");
        insta::assert_snapshot!(refused("9lives"), @"`9lives` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `_9lives`");
        insta::assert_snapshot!(refused("a..b"), @"`a..b` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `a__b`");
    }

    #[test]
    fn keywords_and_builtins_are_refused() {
        insta::assert_snapshot!(refused("lambda"), @"`lambda` is a Python keyword and cannot be the name of a function; use `lambda_`");
        insta::assert_snapshot!(refused("print"), @"`print` is a Python builtin, which a function with that name would shadow; use `print_` or a longer name");
    }

    #[test]
    fn an_endless_name_is_refused_without_repeating_it() {
        let message = refused(&"x".repeat(5000));
        assert!(message.len() < 200, "{message}");
    }
}
