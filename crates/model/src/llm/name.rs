//! Names of language models, as users give them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::stored::Role;
use crate::input::text_schema::text_schema;

/// Long enough for a provider's own id.
pub const MAX_LLM_NAME_BYTES: usize = 64;
/// `/models/found` lists what answers on this machine.
const RESERVED: &str = "found";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LlmName(String);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LlmNameError {
    #[error(
        "`{0}` is not the name of a model; use up to {MAX_LLM_NAME_BYTES} lower-case letters, digits, `.`, `_` and `-`, beginning with a letter or digit, such as `qwen-coder`"
    )]
    Form(String),
    #[error("`{0}` is a role and cannot be the name of a model; use another name, and give it the role")]
    Role(String),
    #[error("`{RESERVED}` cannot be the name of a model; use another")]
    Reserved,
}

text_schema!(LlmName, "LlmName", "The name of a language model.", "qwen-coder");

impl LlmName {
    pub fn new(text: &str) -> Result<LlmName, LlmNameError> {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = text.len() <= MAX_LLM_NAME_BYTES
            && text.starts_with(is_word)
            && text.chars().all(|c| is_word(c) || "._-".contains(c));
        if !fits {
            return Err(LlmNameError::Form(crate::phrase::cut(text, 80)));
        }
        if text.parse::<Role>().is_ok() {
            return Err(LlmNameError::Role(text.to_owned()));
        }
        if text == RESERVED {
            return Err(LlmNameError::Reserved);
        }
        Ok(LlmName(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LlmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for LlmName {
    type Err = LlmNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LlmName::new(text)
    }
}

impl TryFrom<String> for LlmName {
    type Error = LlmNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        LlmName::new(&text)
    }
}

impl From<LlmName> for String {
    fn from(name: LlmName) -> String {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_of_the_usual_kind_and_no_role() {
        for good in ["gpt-5", "qwen2.5-coder", "a", "7b"] {
            assert_eq!(LlmName::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "-a", "GPT", "a/b", "a b", &"a".repeat(65)] {
            assert!(matches!(LlmName::new(bad), Err(LlmNameError::Form(_))), "{bad}");
        }
        let role = LlmName::new("strong").unwrap_err().to_string();
        assert!(role.starts_with("`strong` is a role"), "{role}");
        assert_eq!(LlmName::new("found"), Err(LlmNameError::Reserved));
    }
}
