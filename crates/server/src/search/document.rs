//! What goes into the index and what comes out of it.

use model::entry::EntryKind;

/// What the index knows of one entry of the brain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub kind: EntryKind,
    /// The full name, which is also the identity: one document a name.
    pub name: String,
    pub description: String,
    pub docstring: String,
    pub examples: Vec<String>,
    /// Names of the parameters, or of the inputs and outputs of a graph.
    pub parameters: Vec<String>,
    /// Further words to be found by, such as aliases or metadata.
    pub text: Vec<String>,
}

impl Document {
    pub fn new(kind: EntryKind, name: &str, description: &str) -> Document {
        Document {
            kind,
            name: name.to_owned(),
            description: description.to_owned(),
            docstring: String::new(),
            examples: Vec::new(),
            parameters: Vec::new(),
            text: Vec::new(),
        }
    }
}

/// One difference between two revisions of the brain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds the document, in place of the one with the same name.
    Put(Document),
    /// Removes the document with this name, if there is one.
    Remove(String),
}

/// One result of a search.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize, utoipa::ToSchema)]
pub struct Hit {
    pub kind: EntryKind,
    pub name: String,
    /// Comparable only within one search.
    pub score: f32,
    pub description: String,
}
