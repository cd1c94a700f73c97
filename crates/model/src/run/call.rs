//! Calls: nested calls of Functions inside a Run, in the same cell; the spans of its trace.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{RunId, VersionId};
use crate::run::RunError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Call {
    pub run_id: RunId,
    /// Its place in the Run's trace, from 1 in the order of beginning.
    pub position: u32,
    /// The Call it was made from; absent means the Run's own function.
    pub parent: Option<u32>,
    pub function: String,
    pub version_id: Option<VersionId>,
    pub input: Value,
    pub output: Option<Value>,
    pub error: Option<RunError>,
    pub started_at: Timestamp,
    pub duration_us: Option<u64>,
}
