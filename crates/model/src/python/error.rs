//! Why a source was refused, where, and what its author can do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A refusal of a source. Lines and columns count from 1 and point into the text as it was given; columns count
/// characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct SourceError {
    pub kind: SourceErrorKind,
    pub line: u32,
    pub column: u32,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The rule that a source broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceErrorKind {
    /// Longer than [`super::MAX_SOURCE_BYTES`].
    TooLarge,
    /// Not UTF-8, or says that it is something else.
    Encoding,
    NulByte,
    /// Python would not compile it.
    Syntax,
    /// Nested deeper than any Python written for people.
    TooDeep,
    NoFunction,
    SeveralFunctions,
    /// Two functions of one name.
    DuplicateFunction,
    /// Something that may not stand beside the function.
    TopLevel,
    /// A decorator whose name does not travel with the function.
    Decorator,
    /// A function name that hides something.
    ReservedName,
    /// An import that means nothing in a stored function.
    Import,
    /// A decorator argument that is not a literal.
    NotLiteral,
    /// A decorator argument of the wrong shape.
    Declaration,
    /// A name of the file that is not stored with the function which uses it.
    DoesNotTravel,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for SourceError {}
