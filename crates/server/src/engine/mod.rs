//! The engine: executes started Runs until they end.
//!
//! `execution` executes a Run. `host` journals the requests of its code and has them answered by `HostVerbs`, which is passed in. `worker`
//! takes Runs from the queue, `store_next` stores the next state of one, and `leases` and `recovery` handle those that no node executes.
//! Runs are started by `app/runs`. `model::run` decides what happens to a Run.

mod cells;
pub(crate) mod execution;
mod graph;
pub(crate) mod node;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use model::access::policy::ProposalPolicy;
use model::access::scope::Scope;
use model::budget::DayLimits;
use model::ids::NodeId;
use model::run::bounds::RunBounds;
use model::run::chain::ChainLimits;
use model::run::nesting::{NestingError, cells_per_level};
use sandbox::CancellationToken;
use store::Durability;
use tokio::sync::{RwLock, Semaphore};

use crate::llm::ModelConfig;
use crate::prepare::Closures;

pub(crate) use self::cells::egress::{Requests, keep as keep_requests};
pub use self::cells::executor::{Executed, ExecutionError, Executor, NO_ENVIRONMENT, ProgressListener, Work};
pub use self::cells::{Cells, CellsConfig};
pub(crate) use self::execution::budget::budget_chain;
pub use self::execution::host::{RunProgress, Watch};
pub(crate) use self::execution::live::{Live, LiveUpdate};
pub(crate) use self::execution::replay::{Replay, replay};
pub(crate) use self::execution::trial::{NOT_RECORDED, TrialHost, trial_end, trial_work, with_mocks};
pub(crate) use self::execution::verbs::{
    HostVerbs, MakeHostVerbs, REFUSED, Replying, Running as RunningNode, StepReply,
};
pub(crate) use self::execution::writing::WritingPlaces;
pub use self::execution::writing::Written;
pub(crate) use self::execution::{Execution, execute};
pub(crate) use self::graph::{
    GraphReplay, NODE, NamedBy, NodeStart, NodeTarget, recorded_outputs, render_template, replay_graph,
    state_of,
};
use self::node::admission::Admission;
pub(crate) use self::node::admission::{CellPlace, InLine, NoPlace};
use self::node::awaited::Awaited;
pub(crate) use self::node::awaited::AwaitedRun;
pub(crate) use self::node::database_retry::{retry_while_unavailable, retry_while_unavailable_until};
pub(crate) use self::node::owned_runs::{Interruption, OwnedRun, Running};
pub use self::node::recovery::recover_from;
use self::node::unflushed::Unflushed;
pub(crate) use self::node::worker::{Claimed, lease, resume, start};
pub use self::node::worker::{
    Stop, give_up, is_busy, one_ended, places_taken, recovered, round, under_way, work, work_until,
};

/// For each place, so many may wait in the line for one.
const LINE: usize = 32;

/// Sizes of an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// The machine's name: what people know this process by, unless it serves and says more.
    pub name: String,
    /// How many queued Runs are executed at once.
    pub at_once: usize,
    /// Runs that are executed at once while somebody waits for them.
    pub waited_at_once: usize,
    /// Runs that are executed at once while another Run waits for them, over all levels of nesting.
    pub nested_at_once: usize,
    /// How long a node that says nothing keeps its Runs.
    pub lease: Duration,
    /// Without a signal, queues, events and schedules are looked at this often: for what has become due, and for what others changed
    /// without being heard.
    pub poll: Duration,
    /// Whether the packages of Functions are resolved when they are added.
    pub resolve_on_add: bool,
    /// What a Function may take that asks for nothing else.
    pub timeout: Duration,
    pub memory_bytes: u64,
    pub chain: ChainLimits,
    /// What one Run may store.
    pub bounds: RunBounds,
    /// What happens to Changesets that Runs propose.
    pub changesets: ProposalPolicy,
    /// What Runs may replace without asking, though someone else wrote it.
    pub changesets_replace: Scope,
    pub model: ModelConfig,
    /// What may be spent in a day.
    pub days: DayLimits,
    /// Inputs and outputs that are recorded longer than this are cut.
    pub payload_bytes: usize,
    /// A sleep or a question that lasts longer than this gives its cell back.
    pub hold: Duration,
    /// What may be reached although its address is not public, by functions that are granted it: hosts, addresses, networks.
    pub private: Vec<String>,
    /// What the record of a Run that someone waits for survives. What is queued always survives a power failure.
    pub durability: Durability,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            name: "localhost".to_owned(),
            at_once: 8,
            waited_at_once: 32,
            nested_at_once: 32,
            lease: Duration::from_secs(15),
            poll: Duration::from_secs(1),
            resolve_on_add: true,
            timeout: Duration::from_secs(60),
            memory_bytes: 512 << 20,
            chain: ChainLimits::default(),
            bounds: RunBounds::default(),
            changesets: ProposalPolicy::default(),
            changesets_replace: Scope::none(),
            model: ModelConfig::default(),
            days: DayLimits::default(),
            payload_bytes: 1 << 20,
            hold: Duration::from_secs(2),
            private: Vec::new(),
            durability: Durability::Process,
        }
    }
}

/// What other nodes can read about this one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Introduction {
    pub(crate) name: String,
    /// Names of roles, with commas between them.
    pub(crate) roles: String,
}

pub struct Engine {
    pub(crate) node: NodeId,
    introduction: OnceLock<Introduction>,
    pub(crate) config: EngineConfig,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) host_verbs: MakeHostVerbs,
    pub(crate) closures: Closures,
    pub(crate) running: Arc<Running>,
    /// Held while a Run becomes this node's, until it is owned.
    pub(crate) claiming: RwLock<()>,
    /// Whoever has something to store for a Run tries no more.
    pub(crate) given_up: CancellationToken,
    /// Whether more may be queued than there were places for.
    pub(crate) behind: AtomicBool,
    executes: AtomicBool,
    pub(crate) unflushed: Unflushed,
    /// Ends that are not recorded.
    pub(crate) awaited: Awaited,
    pub(crate) places: Arc<Semaphore>,
    /// Places for Runs that someone waits for.
    pub(crate) admission: Arc<Admission>,
    /// Places for nested Runs, by level.
    nested: Vec<Arc<Admission>>,
    /// Places for trials, which are no Runs.
    pub(crate) trials: Semaphore,
}

impl Engine {
    /// This process, as the Runs that it executes know it.
    pub fn node(&self) -> NodeId {
        self.node
    }

    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Whether this node executes Runs, or leaves them to other servers.
    pub(crate) fn executes(&self) -> bool {
        self.executes.load(Ordering::Relaxed)
    }

    pub(crate) fn introduction(&self) -> Introduction {
        let unserved = || Introduction { name: self.config.name.clone(), roles: String::new() };
        self.introduction.get().cloned().unwrap_or_else(unserved)
    }

    /// Said once by whoever serves, before anything is executed.
    pub(crate) fn introduce(&self, introduction: Introduction) {
        // A second server in one process is the same node.
        let _ = self.introduction.set(introduction);
    }

    /// Decided by whoever serves; a process that serves nothing executes what it starts.
    pub(crate) fn set_executes(&self, executes: bool) {
        self.executes.store(executes, Ordering::Relaxed);
    }

    /// The places of nested Runs at this depth. A record from before depths were kept has none, and counts as level 1.
    pub(crate) fn nested_cells(&self, depth: u32) -> Result<&Arc<Admission>, NestingError> {
        let level = usize::try_from(depth.saturating_sub(1)).unwrap_or(usize::MAX);
        self.nested.get(level).ok_or(NestingError::TooDeep)
    }

    pub(crate) fn new(
        node: NodeId,
        config: EngineConfig,
        executor: Arc<dyn Executor>,
        host_verbs: MakeHostVerbs,
    ) -> Engine {
        Engine {
            node,
            introduction: OnceLock::new(),
            executor,
            host_verbs,
            closures: Closures::default(),
            running: Arc::default(),
            claiming: RwLock::new(()),
            given_up: CancellationToken::new(),
            behind: AtomicBool::new(false),
            executes: AtomicBool::new(true),
            unflushed: Unflushed::default(),
            awaited: Awaited::default(),
            places: Arc::new(Semaphore::new(config.at_once)),
            admission: Admission::new(config.waited_at_once, config.waited_at_once * LINE),
            nested: nested_admissions(config.nested_at_once),
            trials: Semaphore::new(config.at_once),
            config,
        }
    }
}

fn nested_admissions(total: usize) -> Vec<Arc<Admission>> {
    cells_per_level(total).into_iter().map(|cells| Admission::new(cells, cells * LINE)).collect()
}
