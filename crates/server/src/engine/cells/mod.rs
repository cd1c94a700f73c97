//! Executing in cells: finds the environment, holds the sandbox and the egress proxy, all started when first needed.

pub(crate) mod egress;
pub(crate) mod egress_record;
pub(crate) mod executor;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use model::run::host_verb::HostVerb;
use sandbox::egress::{EgressLog, Proxy, ProxyConfig, SystemResolver};
use sandbox::environment::{Environments, EnvironmentsConfig, Progress, Requirements};
use sandbox::{BoxFuture, CancellationToken, Census, Egress, Environment, Host, Job, Sandbox, VerbSignature};
use tokio::sync::OnceCell;

use self::executor::{Executed, ExecutionError, Executor, ProgressListener, Work};

#[derive(Clone, Debug)]
pub struct CellsConfig {
    pub sandbox: sandbox::Config,
    pub environments: EnvironmentsConfig,
    /// Where the authority of the way out is kept.
    pub egress_folder: PathBuf,
    /// Certificate authorities that are trusted beside the public ones, in PEM.
    pub extra_roots_pem: String,
}

pub struct Cells(Arc<Inner>);

struct Inner {
    config: CellsConfig,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    requests: Arc<dyn EgressLog>,
    /// What knows packages needs no cells.
    environments: OnceCell<Environments>,
    sandbox: OnceCell<Sandbox>,
}

impl Cells {
    /// Starts nothing yet. Requests of jobs are reported to `requests`, with the labels of their policies.
    pub fn new(
        config: CellsConfig,
        clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
        requests: Arc<dyn EgressLog>,
    ) -> Cells {
        let (environments, sandbox) = (OnceCell::new(), OnceCell::new());
        Cells(Arc::new(Inner { config, clock, requests, environments, sandbox }))
    }
}

impl Executor for Cells {
    fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        told: ProgressListener,
        cancel: CancellationToken,
    ) -> BoxFuture<Result<Executed, ExecutionError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { inner.execute(work, host, told, &cancel).await })
    }

    fn prepare(
        &self,
        requirements: Vec<String>,
        told: ProgressListener,
    ) -> BoxFuture<Result<(), ExecutionError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let sandbox = inner.sandbox.get_or_try_init(|| inner.start()).await?;
            let environment = inner.environment(&requirements, &|progress| told(progress)).await?;
            Ok(sandbox.prepare(&environment).await?)
        })
    }

    fn resolve(&self, requirements: Vec<String>) -> BoxFuture<Result<(), ExecutionError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let requirements = Requirements::parse(requirements)?;
            Ok(inner.environments().await?.resolve(&requirements).await?)
        })
    }

    fn release(&self, owner: &str) {
        if let Some(sandbox) = self.0.sandbox.get() {
            sandbox.release(owner);
        }
    }

    fn census(&self) -> Census {
        self.0.sandbox.get().map(Sandbox::census).unwrap_or_default()
    }

    fn stop(&self) -> BoxFuture<()> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            if let Some(sandbox) = inner.sandbox.get() {
                sandbox.stop().await;
            }
        })
    }
}

impl Inner {
    async fn environment(
        &self,
        requirements: &[String],
        told: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Arc<Environment>, ExecutionError> {
        let requirements = Requirements::parse(requirements)?;
        Ok(self.environments().await?.get_telling(&requirements, told).await?)
    }

    async fn environments(&self) -> Result<&Environments, ExecutionError> {
        let open = || Environments::open(self.config.environments.clone());
        Ok(self.environments.get_or_try_init(open).await?)
    }

    async fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        told: ProgressListener,
        cancel: &CancellationToken,
    ) -> Result<Executed, ExecutionError> {
        let cold = AtomicBool::new(!self.sandbox.initialized());
        let sandbox = self.sandbox.get_or_try_init(|| self.start()).await?;
        let telling = |progress| {
            cold.store(true, Ordering::Relaxed);
            told(progress);
        };
        let environment = self.environment(&work.requirements, &telling).await?;
        let job = Job {
            environment,
            closure: work.closure,
            input: work.input,
            secrets: work.secrets,
            verbs: work.verbs,
            limits: work.limits,
            egress: work.egress,
            isolation: work.isolation,
        };
        let (outcome, refill) = sandbox.run_before_refill(&job, host, cancel).await?;
        Ok(Executed { outcome, cold: cold.into_inner(), refill: Some(refill) })
    }

    async fn start(&self) -> Result<Sandbox, ExecutionError> {
        let proxy = Proxy::new(ProxyConfig {
            folder: self.config.egress_folder.clone(),
            log: Arc::clone(&self.requests),
            resolver: Arc::new(SystemResolver),
            clock: Arc::clone(&self.clock),
            extra_roots_pem: self.config.extra_roots_pem.clone(),
        })
        .map_err(|error| ExecutionError::Egress(error.to_string()))?;
        let egress: Arc<dyn Egress> = Arc::new(proxy);
        let config = sandbox::Config { verbs: signatures(), ..self.config.sandbox.clone() };
        Ok(Sandbox::start_with(config, Some(egress)).await?)
    }
}

/// How functions call the verbs.
fn signatures() -> Vec<VerbSignature> {
    let rows = HostVerb::ALL.iter().map(|verb| verb.row());
    rows.map(|row| VerbSignature {
        name: row.name,
        parameters: row.signature(),
        description: row.description,
    })
    .collect()
}
