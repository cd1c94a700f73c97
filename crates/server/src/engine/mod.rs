//! The engine: Runs that were started become Runs that have ended.
//!
//! `closures` knows what a Function loads, `execution` carries one Run out, `host` answers what its code asks and journals
//! it, `worker` takes Runs from the queue, `recovery` deals with those whose node is gone. Whoever starts a Run is `app/runs`.

mod awaited;
mod calls;
mod cells;
mod closures;
mod drafts;
mod egress;
mod execution;
mod executor;
mod handed;
mod host;
mod journal;
mod live;
mod outcome;
mod output;
mod payload;
mod prepared;
mod recovery;
mod replaying;
mod running;
mod trial;
mod unflushed;
mod verbs;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::chain::ChainLimits;
use model::ids::NodeId;
use model::scope::Scope;
use store::Durability;
use tokio::sync::{Notify, Semaphore, watch};

use crate::app::changesets::Policy;
use crate::model_server::ModelConfig;

use self::awaited::Awaited;
pub(crate) use self::awaited::AwaitedRun;
pub use self::cells::{Cells, CellsConfig};
pub(crate) use self::closures::Closures;
pub(crate) use self::egress::{Requests, keep as keep_requests};
pub(crate) use self::execution::{Execution, carry_out, event};
pub use self::executor::{Executed, ExecutionError, Executor, Told, Work};
pub use self::host::{Happened, Watch};
pub(crate) use self::live::{Live, Looked};
pub(crate) use self::outcome::End;
pub(crate) use self::prepared::{CALL, Prepared, prepare};
pub use self::recovery::recover_from;
pub(crate) use self::replaying::{Replay, replay};
pub(crate) use self::running::{Interruption, Running};
pub(crate) use self::trial::{TrialHost, trial_end, trial_work, with_mocks};
use self::unflushed::Unflushed;
pub use self::worker::{Stop, is_busy, one_ended, round, under_way, work, work_until};
pub(crate) use self::worker::{lease, resume, start};

/// Sizes of an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Runs from the queue that are carried out at once.
    pub at_once: usize,
    /// How long a node that says nothing keeps its Runs.
    pub lease: Duration,
    /// What a Function may take that asks for nothing else.
    pub timeout: Duration,
    pub memory_bytes: u64,
    pub chain: ChainLimits,
    /// What happens to Changesets that Runs propose.
    pub changesets: Policy,
    /// What Runs may replace without asking, though somebody else wrote it.
    pub changesets_replace: Scope,
    pub model: ModelConfig,
    /// Inputs and outputs that are recorded longer than this are cut.
    pub payload_bytes: usize,
    /// A sleep or a question that lasts longer than this gives its cell back.
    pub hold: Duration,
    /// What may be reached although its address is not public, by functions that are granted it: hosts, addresses, networks.
    pub private: Vec<String>,
    /// What the record of a Run that somebody waits for survives. What is queued always survives loss of power.
    pub durability: Durability,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            at_once: 8,
            lease: Duration::from_secs(15),
            timeout: Duration::from_secs(60),
            memory_bytes: 512 << 20,
            chain: ChainLimits::default(),
            changesets: Policy::default(),
            changesets_replace: Scope::none(),
            model: ModelConfig::default(),
            payload_bytes: 1 << 20,
            hold: Duration::from_secs(2),
            private: Vec::new(),
            durability: Durability::Process,
        }
    }
}

pub struct Engine {
    pub(crate) node: NodeId,
    pub(crate) config: EngineConfig,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) closures: Closures,
    pub(crate) running: Running,
    /// Rung when something was queued, woken or cancelled.
    pub(crate) queue: Notify,
    /// Whether more may be queued than there were places for.
    pub(crate) behind: AtomicBool,
    pub(crate) unflushed: Unflushed,
    /// Changes when an Event was appended.
    events: watch::Sender<()>,
    /// Rung when a Run of this process has ended or begun to wait.
    pub(crate) ended: Notify,
    /// Ends that are not recorded.
    pub(crate) awaited: Awaited,
    pub(crate) places: Arc<Semaphore>,
    /// Places for trials, which are no Runs.
    pub(crate) trials: Semaphore,
}

impl Engine {
    /// This process, as the Runs that it carries out know it.
    pub fn node(&self) -> NodeId {
        self.node
    }

    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Says that Events were appended.
    pub(crate) fn ring_events(&self) {
        self.events.send_replace(());
    }

    /// Changes whenever Events were appended by this process.
    pub(crate) fn appended(&self) -> watch::Receiver<()> {
        self.events.subscribe()
    }

    pub fn new(node: NodeId, config: EngineConfig, executor: Arc<dyn Executor>) -> Engine {
        Engine {
            node,
            executor,
            closures: Closures::default(),
            running: Running::default(),
            queue: Notify::new(),
            behind: AtomicBool::new(false),
            unflushed: Unflushed::default(),
            events: watch::Sender::new(()),
            ended: Notify::new(),
            awaited: Awaited::default(),
            places: Arc::new(Semaphore::new(config.at_once)),
            trials: Semaphore::new(config.at_once),
            config,
        }
    }
}
