//! What goes into the index and what comes out of it.

/// What the index knows of one entry of the brain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The full name, which is also the identity: one document a name.
    pub name: String,
    pub description: String,
    pub docstring: String,
    pub examples: Vec<String>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Further words to be found by, such as aliases or metadata.
    pub text: Vec<String>,
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
    pub name: String,
    /// Comparable only within one search.
    pub score: f32,
    pub description: String,
}
