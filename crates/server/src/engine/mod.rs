//! The engine: Runs that were started become Runs that have ended.
//!
//! `closures` knows what a Function loads, `execution` carries one Run out, `host` answers what its code asks and journals
//! it, `worker` takes Runs from the queue, `settling` stores what comes next for one, `leases` and `recovery` deal with those that
//! nobody carries out. Whoever starts a Run is `app/runs`. What becomes of a Run is decided by `model::run`.

mod admission;
mod awaited;
mod calls;
mod cells;
mod closures;
mod drafts;
mod egress;
mod egress_runs;
mod execution;
mod executor;
mod handed;
mod host;
mod journal;
mod leases;
mod live;
mod outcome;
mod output;
mod patience;
mod prepared;
mod recovery;
mod replaying;
mod running;
mod settling;
mod trial;
mod unflushed;
mod verbs;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::bounds::RunBounds;
use model::chain::ChainLimits;
use model::ids::NodeId;
use model::scope::Scope;
use sandbox::CancellationToken;
use store::Durability;
use tokio::sync::{Notify, RwLock, Semaphore, watch};

use crate::app::changesets::Policy;
use crate::model_server::ModelConfig;

use self::admission::Admission;
pub(crate) use self::admission::{CellPlace, NoPlace};
use self::awaited::Awaited;
pub(crate) use self::awaited::AwaitedRun;
pub use self::cells::{Cells, CellsConfig};
pub(crate) use self::closures::Closures;
pub(crate) use self::egress::{Requests, keep as keep_requests};
pub(crate) use self::execution::{Execution, carry_out};
pub use self::executor::{Executed, ExecutionError, Executor, Told, Work};
pub use self::host::{Happened, Watch};
pub(crate) use self::live::{Live, Looked};
pub(crate) use self::patience::{patiently, patiently_until};
pub(crate) use self::prepared::{CALL, Prepared, prepare};
pub use self::recovery::recover_from;
pub(crate) use self::replaying::{Replay, replay};
pub(crate) use self::running::{InHand, Interruption, Running};
pub(crate) use self::trial::{TrialHost, trial_end, trial_work, with_mocks};
use self::unflushed::Unflushed;
pub(crate) use self::worker::{Claimed, lease, resume, start};
pub use self::worker::{Stop, give_up, is_busy, one_ended, round, under_way, work, work_until};

/// For each place, so many may wait in the line for one.
const LINE: usize = 32;

/// Sizes of an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// What people know this server by.
    pub name: String,
    /// Runs from the queue that are carried out at once.
    pub at_once: usize,
    /// Runs that are carried out at once while somebody waits for them. What they call is not counted.
    pub waited_at_once: usize,
    /// How long a node that says nothing keeps its Runs.
    pub lease: Duration,
    /// What a Function may take that asks for nothing else.
    pub timeout: Duration,
    pub memory_bytes: u64,
    pub chain: ChainLimits,
    /// What one Run may store.
    pub bounds: RunBounds,
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
            name: String::new(),
            at_once: 8,
            waited_at_once: 32,
            lease: Duration::from_secs(15),
            timeout: Duration::from_secs(60),
            memory_bytes: 512 << 20,
            chain: ChainLimits::default(),
            bounds: RunBounds::default(),
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
    pub(crate) running: Arc<Running>,
    /// Held by whoever makes a Run this node's until it is in hand.
    pub(crate) claiming: RwLock<()>,
    /// Whoever has something to store for a Run tries no more.
    pub(crate) given_up: CancellationToken,
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
    /// Places for Runs that somebody waits for.
    pub(crate) admission: Arc<Admission>,
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
            running: Arc::default(),
            claiming: RwLock::new(()),
            given_up: CancellationToken::new(),
            queue: Notify::new(),
            behind: AtomicBool::new(false),
            unflushed: Unflushed::default(),
            events: watch::Sender::new(()),
            ended: Notify::new(),
            awaited: Awaited::default(),
            places: Arc::new(Semaphore::new(config.at_once)),
            admission: Admission::new(config.waited_at_once, config.waited_at_once * LINE),
            trials: Semaphore::new(config.at_once),
            config,
        }
    }
}
