//! What a Run executes that no Version has: the draft of a Graph, or a script. It is stored with the Run.

use serde::{Deserialize, Serialize};

use crate::function::FunctionContent;
use crate::graph::GraphContent;
use crate::version::{ContentHash, VersionNumber};

/// A draft as it was when a Run of it was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunDraft {
    /// The edit of the draft; 0 for a script.
    pub edit: u64,
    /// The live version that the draft began with.
    pub base: Option<VersionNumber>,
    #[serde(rename = "content_hash")]
    pub content: ContentHash,
}

/// What such a Run executes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DraftContent {
    Code(Code),
    Graph(GraphContent),
}

/// A script, and the function whose body it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Code {
    /// As its author wrote it.
    pub script: String,
    pub function: Box<FunctionContent>,
}
