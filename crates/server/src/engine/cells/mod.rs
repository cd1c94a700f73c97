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

use self::executor::{Executed, ExecutionError, Executor, Told, Work};

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
    started: OnceCell<Started>,
}

struct Started {
    environments: Environments,
    sandbox: Sandbox,
}

impl Cells {
    /// Starts nothing yet. Requests of jobs are reported to `requests`, with the labels of their policies.
    pub fn new(
        config: CellsConfig,
        clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
        requests: Arc<dyn EgressLog>,
    ) -> Cells {
        Cells(Arc::new(Inner { config, clock, requests, started: OnceCell::new() }))
    }
}

impl Executor for Cells {
    fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        told: Told,
        cancel: CancellationToken,
    ) -> BoxFuture<Result<Executed, ExecutionError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { inner.execute(work, host, told, &cancel).await })
    }

    fn prepare(&self, requirements: Vec<String>, told: Told) -> BoxFuture<Result<(), ExecutionError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let started = inner.started.get_or_try_init(|| inner.start()).await?;
            let environment = started.environment(&requirements, &|progress| told(progress)).await?;
            Ok(started.sandbox.prepare(&environment).await?)
        })
    }

    fn census(&self) -> Census {
        self.0.started.get().map(|started| started.sandbox.census()).unwrap_or_default()
    }

    fn stop(&self) -> BoxFuture<()> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            if let Some(started) = inner.started.get() {
                started.sandbox.stop().await;
            }
        })
    }
}

impl Started {
    async fn environment(
        &self,
        requirements: &[String],
        told: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Arc<Environment>, ExecutionError> {
        let requirements = Requirements::parse(requirements)?;
        Ok(self.environments.get_telling(&requirements, told).await?)
    }
}

impl Inner {
    async fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        told: Told,
        cancel: &CancellationToken,
    ) -> Result<Executed, ExecutionError> {
        let cold = AtomicBool::new(!self.started.initialized());
        let started = self.started.get_or_try_init(|| self.start()).await?;
        let telling = |progress| {
            cold.store(true, Ordering::Relaxed);
            told(progress);
        };
        let environment = started.environment(&work.requirements, &telling).await?;
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
        let (outcome, refill) = started.sandbox.run_before_refill(&job, host, cancel).await?;
        Ok(Executed { outcome, cold: cold.into_inner(), refill: Some(refill) })
    }

    async fn start(&self) -> Result<Started, ExecutionError> {
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
        let sandbox = Sandbox::start_with(config, Some(egress)).await?;
        let environments = Environments::open(self.config.environments.clone()).await?;
        Ok(Started { environments, sandbox })
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
