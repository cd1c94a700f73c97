//! Runs: one execution of a Function or Graph at a stated Version with a stated input, and what may happen to one.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::access::Authority;
use crate::actor::Actor;
use crate::chain::Chain;
use crate::closure::ClosureHash;
use crate::entry::EntryKey;
use crate::ids::{NodeId, RunId, VersionId};
use crate::retry::Retry;
use crate::revision::Revision;
use crate::running::Record;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
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

    /// Where a Run goes when something happens to it.
    pub fn after(self, happening: Happening) -> Result<RunState, IllegalHappening> {
        use Happening::{Cancel, Claim, Fail, Requeue, Succeed, Suspend, Wake};
        use RunState::{Cancelled, Failed, Queued, Running, Succeeded, Waiting};
        match (self, happening) {
            (Queued, Claim) => Ok(Running),
            (Running, Succeed) => Ok(Succeeded),
            (Running | Queued | Waiting, Fail) => Ok(Failed),
            (Running, Requeue) | (Waiting, Wake) => Ok(Queued),
            (Running, Suspend) => Ok(Waiting),
            (Queued | Running | Waiting, Cancel) => Ok(Cancelled),
            _ => Err(IllegalHappening { state: self, happening }),
        }
    }
}

/// What can happen to a Run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A node takes it from the queue.
    Claim,
    Succeed,
    Fail,
    /// It is tried again, later, or resumed after its node was lost.
    Requeue,
    /// It waits for a person or a time, without a cell.
    Suspend,
    /// What it waited for is there.
    Wake,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a run that is {} cannot {}", .state.as_str(), .happening.words())]
pub struct IllegalHappening {
    pub state: RunState,
    pub happening: Happening,
}

impl Happening {
    fn words(self) -> &'static str {
        match self {
            Happening::Claim => "be taken from the queue",
            Happening::Succeed => "succeed",
            Happening::Fail => "fail",
            Happening::Requeue => "be queued again",
            Happening::Suspend => "begin to wait",
            Happening::Wake => "be woken",
            Happening::Cancel => "be cancelled",
        }
    }
}

/// How a cell ended. The kinds are never mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunError {
    #[serde(rename = "type")]
    pub type_name: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}

impl RunError {
    /// With the lines of functions that may be seen alone: a traceback shows their sources.
    #[must_use]
    pub fn seen(&self, may_see: impl Fn(&str) -> bool) -> RunError {
        let traceback = self.traceback.as_ref().map(|text| {
            let mut is_shown = true;
            let mut shown = String::with_capacity(text.len());
            for line in text.split_inclusive('\n') {
                if let Some(function) = frame_of(line) {
                    is_shown = may_see(function);
                } else if !line.starts_with("    ") {
                    is_shown = true;
                }
                if is_shown {
                    shown.push_str(line);
                }
            }
            shown
        });
        RunError { traceback, ..self.clone() }
    }
}

/// The function whose line a frame of a traceback shows: `  File "name@3", line 1, in name`.
fn frame_of(line: &str) -> Option<&str> {
    let (file, _) = line.strip_prefix("  File \"")?.split_once('"')?;
    Some(file.rsplit_once('@').map_or(file, |(name, _)| name))
}

/// What a Run used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    /// From the start of its cell's work to its end.
    pub wall_us: u64,
    pub cpu_us: u64,
    pub peak_memory_bytes: u64,
    /// Whether an environment had to be made or started for it.
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
    /// The Step at this position is a question to a person.
    Person { step: u32, question: Value },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
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

/// How a Run is to be carried out, fixed when it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct How {
    /// Somebody waits for it: the node that recorded it executes it at once.
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
    /// At most so many at once of those with the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<Concurrency>,
    /// After its node was lost it may be executed again: all its effects are Steps, or it declares itself idempotent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// What of it is kept after its end.
    #[serde(skip_serializing_if = "Record::is_all")]
    pub record: Record,
}

impl Run {
    /// Whether what went in, what it did and what came out is kept, of a Run that has ended.
    pub fn is_kept(&self) -> bool {
        self.how.record.keeps(self.run_id, self.state == RunState::Succeeded)
    }

    /// Whether its input is gone, because it has ended and is not kept.
    pub fn is_forgotten(&self) -> bool {
        self.state.is_final() && !self.is_kept()
    }

    /// What is left of a Run that is not kept: that it ran, how it ended and how long it took.
    #[must_use]
    pub fn forgotten(&self) -> Run {
        let error = self.error.as_ref();
        Run {
            input: Value::Null,
            output: None,
            error: error.map(|error| RunError {
                type_name: error.type_name.clone(),
                message: String::new(),
                traceback: None,
            }),
            waiting: None,
            // Its key may have been made of the input.
            how: How { concurrency: None, ..self.how.clone() },
            ..self.clone()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RunConcurrency)]
pub struct Concurrency {
    pub key: String,
    pub limit: u32,
}

/// Which node carries a Run out. Each claim raises the fence, and only the last claim may end the Run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Lease {
    pub node: NodeId,
    pub fence: u64,
    pub until: Timestamp,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAPPENINGS: [Happening; 7] = [
        Happening::Claim,
        Happening::Succeed,
        Happening::Fail,
        Happening::Requeue,
        Happening::Suspend,
        Happening::Wake,
        Happening::Cancel,
    ];

    #[test]
    fn nothing_happens_to_a_run_that_has_ended() {
        for state in RunState::ALL.into_iter().filter(|state| state.is_final()) {
            for happening in HAPPENINGS {
                assert!(state.after(happening).is_err(), "{state:?} {happening:?}");
            }
        }
    }

    #[test]
    fn every_run_that_has_not_ended_can_be_cancelled_and_can_fail() {
        for state in RunState::ALL.into_iter().filter(|state| !state.is_final()) {
            assert_eq!(state.after(Happening::Cancel), Ok(RunState::Cancelled));
            assert_eq!(state.after(Happening::Fail), Ok(RunState::Failed));
        }
    }

    #[test]
    fn a_traceback_shows_lines_of_functions_that_may_be_seen() {
        let traceback = "Traceback (most recent call last):\n  File \"web.a@1\", line 2, in a\n    return hidden(1)\n  File \"mail.b@7\", line 3, in b\n    raise ValueError(\"x\")\n    ^^^^^\nValueError: x\n";
        let error = RunError {
            type_name: "ValueError".to_owned(),
            message: "x".to_owned(),
            traceback: Some(traceback.to_owned()),
        };
        assert_eq!(error.seen(|_| true), error);
        let seen = error.seen(|name| name.starts_with("web.")).traceback.unwrap();
        assert_eq!(
            seen,
            "Traceback (most recent call last):\n  File \"web.a@1\", line 2, in a\n    return hidden(1)\nValueError: x\n"
        );
    }

    #[test]
    fn an_illegal_happening_says_what_cannot_be() {
        let error = RunState::Succeeded.after(Happening::Cancel).unwrap_err();
        assert_eq!(error.to_string(), "a run that is succeeded cannot be cancelled");
    }
}
