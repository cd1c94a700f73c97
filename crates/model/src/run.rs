//! Runs: one execution of a Function or Graph at a stated Version with a stated input.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actor::Actor;
use crate::entry::EntryKey;
use crate::ids::{RunId, VersionId};
use crate::revision::Revision;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Queued,
    Running,
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
}

impl RunState {
    pub const ALL: [RunState; 6] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Succeeded, Self::Failed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Queued => "queued",
            RunState::Running => "running",
            RunState::Waiting => "waiting",
            RunState::Succeeded => "succeeded",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, RunState::Succeeded | RunState::Failed | RunState::Cancelled)
    }
}

/// How a cell ended. The kinds are never mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Returned,
    Raised,
    TimedOut,
    OutOfMemory,
    Killed,
    Crashed,
    BrokeProtocol,
    Lost,
}

impl Ending {
    pub const ALL: [Ending; 8] = [
        Self::Returned,
        Self::Raised,
        Self::TimedOut,
        Self::OutOfMemory,
        Self::Killed,
        Self::Crashed,
        Self::BrokeProtocol,
        Self::Lost,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Returned => "returned",
            Ending::Raised => "raised",
            Ending::TimedOut => "timed_out",
            Ending::OutOfMemory => "out_of_memory",
            Ending::Killed => "killed",
            Ending::Crashed => "crashed",
            Ending::BrokeProtocol => "broke_protocol",
            Ending::Lost => "lost",
        }
    }
}

/// What a Function raised, or why a Run could not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    #[serde(rename = "type")]
    pub type_name: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub run_id: RunId,
    #[serde(flatten)]
    pub key: EntryKey,
    /// Absent only where an imported record does not tell.
    pub version_id: Option<VersionId>,
    /// The brain it sees.
    pub revision: Revision,
    pub state: RunState,
    pub ending: Option<Ending>,
    pub input: Value,
    pub output: Option<Value>,
    pub error: Option<RunError>,
    pub actor: Actor,
    /// The Run that started this one.
    pub parent: Option<RunId>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}
