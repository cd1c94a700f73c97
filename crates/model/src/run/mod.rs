//! Runs: one execution of a Function or Graph at a stated Version with a stated input, and what may happen to one.
//!
//! What happens to a Run is decided only here: `next` says what comes after it was executed, lost or cancelled, `end` what
//! is recorded of its end.

pub mod bounds;
pub mod call;
pub mod chain;
pub mod draft;
pub mod egress;
mod end;
mod ending;
mod error;
pub mod host_verb;
pub mod insight;
pub mod lane;
pub mod nesting;
mod next;
pub mod output;
pub mod place;
pub mod question;
pub mod reach;
pub mod retention;
pub mod retry;
mod state;
pub mod step;
pub mod streak;
pub mod traceback;
pub mod turns;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::chain::Chain;
use self::retry::Retry;
use crate::access::Authority;
use crate::access::actor::Actor;
use crate::budget::Limits;
use crate::entry::EntryKey;
use crate::function::closure::ClosureHash;
use crate::function::run_options::Record;
use crate::graph::run_options::GraphOptions;
use crate::ids::{NodeId, RunId, VersionId};
use crate::revision::Revision;

pub use self::draft::RunDraft;
pub use self::end::{End, Recorded};
pub use self::ending::Ending;
pub use self::error::RunError;
pub use self::next::{LeftBehind, Next, Outcome, Requeue};
pub use self::state::RunState;

/// What a Run used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    /// From the start of its cell's work to its end.
    pub wall_us: u64,
    pub cpu_us: u64,
    pub peak_memory_bytes: u64,
    /// Whether an environment had to be built or started for it.
    pub cold: bool,
    pub output_dropped_bytes: u64,
    pub calls_dropped: u64,
}

/// What a Run without a cell waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// The Step at this position is a sleep until then.
    Time { step: u32, until: Timestamp },
    /// The Step at this position is a question to a person. Until then, something else may be due.
    Person {
        step: u32,
        question: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// It stands at breakpoints: before executions of these nodes, or where links deliver values. Until then, something else may be due.
    Breakpoints {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nodes: Vec<String>,
        /// How many values are held on links.
        #[serde(default, skip_serializing_if = "is_none")]
        values: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// The Step that proposed this Changeset waits for somebody to decide about it.
    Decision { changeset: u64 },
    /// All that goes on in it are Runs that wait themselves. It is woken when one of them ends, and looks for itself by then.
    Runs { until: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Run {
    pub run_id: RunId,
    #[serde(flatten)]
    pub key: EntryKey,
    /// Absent for a draft, and if an imported record does not have it.
    pub version_id: Option<VersionId>,
    /// The brain it sees.
    pub revision: Revision,
    pub state: RunState,
    pub ending: Option<Ending>,
    pub input: Value,
    pub output: Option<Value>,
    pub error: Option<RunError>,
    /// Who started it.
    pub actor: Actor,
    /// What it may do, and from whom it has that: what its starter might.
    #[serde(rename = "access", with = "crate::access::shared")]
    #[schema(value_type = Authority)]
    pub authority: Arc<Authority>,
    /// The Run that started this one.
    pub parent: Option<RunId>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// The number of this try, from 1.
    pub attempt: u32,
    pub how: How,
    /// Which Versions were loaded for it.
    pub closure: Option<ClosureHash>,
    /// The Event that started it.
    pub event_seq: Option<u64>,
    pub chain: Chain,
    pub waiting: Option<Waiting>,
    pub usage: Option<Usage>,
    /// Who asked for its end, and when.
    pub cancelled: Option<(Actor, Timestamp)>,
    pub lease: Option<Lease>,
}

/// How a Run is to be executed, fixed when it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct How {
    /// Someone waits for it: the node that recorded it executes it at once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waited: bool,
    /// Higher goes first.
    #[serde(skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Not before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Retry::is_never")]
    pub retry: Retry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The maximum number at once with the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<Concurrency>,
    /// After its node was lost it may be executed again: all its effects are Steps, or it declares itself idempotent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// How many Runs wait for it, each for the next: 0 unless it was started by a Run that waits for it.
    #[serde(skip_serializing_if = "is_top")]
    pub depth: u32,
    /// It is a node of the Graph whose Run started it, and may be waited for without a place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_node: bool,
    /// What of it is kept after its end.
    #[serde(skip_serializing_if = "Record::is_all")]
    pub record: Record,
    /// What it may spend with all that it starts.
    #[serde(skip_serializing_if = "Limits::is_empty")]
    pub budget: Limits,
    /// A Run above it is bounded in time or depth, which bounds this one as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_bounded_above: bool,
    /// Of a Run of a Graph: where it differs from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Box<GraphOptions>>,
    /// Of a Run of a draft of a Graph, or of a script: what it executes, which is stored with the Run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<RunDraft>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RunConcurrency)]
pub struct Concurrency {
    pub key: String,
    pub limit: u32,
}

/// Which node executes a Run. Each claim raises the fence, and only the last claim may end the Run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Lease {
    pub node: NodeId,
    pub fence: u64,
    pub until: Timestamp,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_top(depth: &u32) -> bool {
    *depth == 0
}

impl How {
    /// Whether this Run, and all that it starts, is bounded in time or depth.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded_above || self.budget.bounds_runs()
    }
}

impl Run {
    /// An imported Run may know neither of the times.
    pub fn duration_us(&self) -> Option<u64> {
        let elapsed = self.finished_at?.duration_since(self.started_at?);
        u64::try_from(elapsed.as_micros()).ok()
    }

    /// Whether it only waits for a time, and goes on by itself.
    pub fn is_asleep(&self) -> bool {
        self.state == RunState::Waiting && matches!(self.waiting, Some(Waiting::Time { .. }))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    /// One that was queued and has not begun.
    pub(crate) fn run() -> Run {
        Run {
            run_id: RunId(Uuid::from_u128(1)),
            key: EntryKey::function("f".parse().unwrap()),
            version_id: None,
            revision: Revision(1),
            state: RunState::Queued,
            ending: None,
            input: json!({}),
            output: None,
            error: None,
            actor: Actor::CommandLine,
            authority: Arc::new(Authority::unknown(Actor::CommandLine)),
            parent: None,
            created_at: Timestamp::UNIX_EPOCH,
            started_at: None,
            finished_at: None,
            attempt: 1,
            how: How::default(),
            closure: None,
            event_seq: None,
            chain: Chain::default(),
            waiting: None,
            usage: None,
            cancelled: None,
            lease: None,
        }
    }
}
