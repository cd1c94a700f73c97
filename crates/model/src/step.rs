//! Steps: recorded effects of a Run through host verbs; the grain of resume and replay.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actor::Actor;
use crate::ids::RunId;
use crate::run::RunError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    pub run_id: RunId,
    /// Its place in the Run's journal, from 1.
    pub position: u32,
    /// The host verb: `model.chat`, `run`, `brain.propose` …
    pub verb: String,
    pub request: Value,
    pub result: Option<Value>,
    pub error: Option<RunError>,
    /// The Run it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<RunId>,
    /// Who answered, if it is a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Actor>,
    pub started_at: Timestamp,
    /// Absent while it goes on.
    pub finished_at: Option<Timestamp>,
}

/// A Run that was executed again asked for something else than it had asked for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    pub position: u32,
    /// What is recorded: verb and request.
    pub recorded: (String, Value),
    /// What was asked now.
    pub asked: (String, Value),
}

impl Step {
    /// Whether what it was asked and answered is gone, because the Run it started is not kept.
    pub fn is_forgotten(&self) -> bool {
        self.child.is_some() && self.request.is_null()
    }

    /// Whether asking this now is what was asked then.
    pub fn answers(&self, verb: &str, request: &Value) -> Result<(), Divergence> {
        if self.verb == verb && self.request == *request {
            return Ok(());
        }
        Err(Divergence {
            position: self.position,
            recorded: (self.verb.clone(), self.request.clone()),
            asked: (verb.to_owned(), request.clone()),
        })
    }
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (recorded, asked) = (&self.recorded, &self.asked);
        write!(
            f,
            "step {} was `{}` with {}, and is now `{}` with {}",
            self.position, recorded.0, recorded.1, asked.0, asked.1
        )
    }
}
