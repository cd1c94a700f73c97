//! What executes code: cells, or in tests a script.

use std::collections::BTreeMap;
use std::sync::Arc;

use sandbox::environment::Progress;
use sandbox::{
    BoxFuture, CancellationToken, Census, Closure, EgressPolicy, Host, Isolation, JobLimits, Outcome, Refill,
    Value,
};
use thiserror::Error;

/// One execution of a Function, with all it needs.
#[derive(Clone, Debug)]
pub struct Work {
    /// Packages, as `pip` writes them.
    pub requirements: Vec<String>,
    pub closure: Arc<Closure>,
    /// A map of arguments by name.
    pub input: Value,
    pub secrets: BTreeMap<String, String>,
    pub verbs: Vec<String>,
    pub limits: JobLimits,
    pub egress: Option<EgressPolicy>,
    pub isolation: Isolation,
}

#[derive(Debug)]
pub struct Executed {
    pub outcome: Outcome,
    /// Whether an environment had to be made or started first.
    pub cold: bool,
    /// To be dropped when nobody waits for anything any more.
    pub refill: Option<Refill>,
}

/// How the message of a Run begins whose environment cannot be built.
pub const NO_ENVIRONMENT: &str = "cannot build the environment of the function";

/// Why nothing was executed.
#[derive(Debug, Error)]
pub enum ExecutionError {
    #[error("{NO_ENVIRONMENT}: {0}")]
    Environment(#[from] sandbox::environment::Error),
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    #[error("cannot start the network proxy for cells: {0}")]
    Egress(String),
}

/// Receives the progress of building an environment.
pub type ProgressListener = Arc<dyn Fn(Progress) + Send + Sync>;

pub trait Executor: Send + Sync {
    /// Executes to the end. Cancelling ends it as `Killed`.
    fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        told: ProgressListener,
        cancel: CancellationToken,
    ) -> BoxFuture<Result<Executed, ExecutionError>>;

    /// Makes ready what functions with these requirements are executed in.
    fn prepare(
        &self,
        requirements: Vec<String>,
        told: ProgressListener,
    ) -> BoxFuture<Result<(), ExecutionError>>;

    /// Decides which packages these requirements mean, without fetching them.
    fn resolve(&self, _requirements: Vec<String>) -> BoxFuture<Result<(), ExecutionError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Lets go of what was kept for jobs of this owner, see [`Isolation::Shared`].
    fn release(&self, _owner: &str) {}

    /// How many cells there are; none where there are no cells.
    fn census(&self) -> Census {
        Census::default()
    }

    /// Ends everything that is being executed.
    fn stop(&self) -> BoxFuture<()>;
}
