//! Steps: recorded effects of a Run through host verbs; the grain of resume and replay.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::RunId;
use crate::run::RunError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub run_id: RunId,
    /// Its place in the Run's journal, from 1.
    pub position: u32,
    /// The host verb: `model.chat`, `run`, `brain.propose` …
    pub verb: String,
    pub request: Value,
    pub result: Option<Value>,
    pub error: Option<RunError>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}
