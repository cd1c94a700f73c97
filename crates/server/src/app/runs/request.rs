//! The request that starts a Run.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::budget::Limits;
use model::graph::run_options::GraphOptions;
use model::ids::{RunId, VersionId};
use model::name::EntryName;
use model::revision::Revision;
use model::run::chain::Chain;
use model::run::retry::Retry;
use model::version::VersionNumber;
use serde_json::{Map, Value};

use super::code::CodeDraft;
use crate::engine::{RunProgress, Watch};

/// What is to be run.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The live Version.
    Live(EntryName),
    Number(EntryName, VersionNumber),
    /// The Version that was live then, calling what was live then.
    AsOf(EntryName, Revision),
    Exact(VersionId),
    /// The draft of a Graph, as it is now.
    Draft(EntryName),
    /// A script, which only its Run has.
    Code(Arc<CodeDraft>),
    /// Exactly what an earlier Run loaded.
    Recorded(RunId),
}

/// Arguments, as a caller gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub positional: Vec<Value>,
    pub named: Map<String, Value>,
}

impl From<Map<String, Value>> for Input {
    fn from(named: Map<String, Value>) -> Input {
        Input { positional: Vec::new(), named }
    }
}

#[derive(Clone)]
pub struct StartRun {
    pub target: Target,
    pub input: Input,
    /// Absent means a new one.
    pub run_id: Option<RunId>,
    pub parent: Option<RunId>,
    /// How deep it is nested; 0 without a parent that waits for it.
    pub depth: u32,
    /// Whether it is a node of the Graph whose Run starts it.
    pub is_node: bool,
    pub chain: Chain,
    pub event_seq: Option<u64>,
    /// A second request with the same key gets the first Run.
    pub idempotency_key: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Instead of what the Version declares.
    pub retry: Option<Retry>,
    pub priority: Option<i32>,
    /// What it may spend; what this does not limit, the Version may.
    pub budget: Limits,
    /// Whether a Run above it is bounded in time or depth.
    pub is_bounded_above: bool,
    pub due_at: Option<Timestamp>,
    /// Of a Graph: what is executed and what not, where it stops, the Run it goes on from.
    pub graph: GraphOptions,
    /// How long to wait for a place; then the Run is queued instead. Absent means as long as it takes.
    pub max_wait: Option<Duration>,
    pub watch: Option<Watch>,
}

impl StartRun {
    pub fn of(target: Target, input: impl Into<Input>) -> StartRun {
        StartRun {
            target,
            input: input.into(),
            run_id: None,
            parent: None,
            depth: 0,
            is_node: false,
            chain: Chain::default(),
            event_seq: None,
            idempotency_key: None,
            timeout_ms: None,
            retry: None,
            priority: None,
            budget: Limits::default(),
            is_bounded_above: false,
            due_at: None,
            graph: GraphOptions::default(),
            max_wait: None,
            watch: None,
        }
    }

    /// Hears what happens in the Run, as it happens.
    #[must_use]
    pub fn watched(self, watch: impl Fn(RunId, RunProgress) + Send + Sync + 'static) -> StartRun {
        StartRun { watch: Some(Arc::new(watch)), ..self }
    }
}

/// How a Run comes to start another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// By a name it has at hand: its starter has to be allowed to run that.
    Name,
    /// By a call in its source, which was judged when that was applied.
    Dependency,
}
