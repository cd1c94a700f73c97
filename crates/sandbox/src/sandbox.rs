//! The sandbox: what the rest of the program holds. Takes jobs, gives each a cell, and says how it ended.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

use crate::birth::{Birth, Births};
use crate::cell::Cell;
use crate::census::{Census, Register};
use crate::config::Config;
use crate::doctor::{self, Layer, Layers};
use crate::egress::{Egress, in_memory};
use crate::ending::Outcome;
use crate::environment::Environment;
use crate::error::Error;
use crate::host::Host;
use crate::job::{Function, Job};
use crate::limits::Cgroups;
use crate::pool::{Hold, Pool, Refill, Setting, UsedCell, WarmKey};

/// How many cells may die on a job before it has begun.
const ATTEMPTS: usize = 3;

pub struct Sandbox {
    pool: Pool,
    found: Vec<Layer>,
    egress: Option<Arc<dyn Egress>>,
    proxy_port: u16,
    stopped: AtomicBool,
}

impl Sandbox {
    /// Finds out what this machine offers, and refuses if that is not the whole sandbox and nothing less is allowed.
    pub async fn start(config: Config) -> Result<Sandbox, Error> {
        Sandbox::start_with(config, None).await
    }

    /// The same, with a way out for jobs that have a policy for it.
    pub async fn start_with(config: Config, egress: Option<Arc<dyn Egress>>) -> Result<Sandbox, Error> {
        let stage1 = stage1_of(&config)?;
        let cgroups = Cgroups::find(config.cgroup.as_deref());
        let found = doctor::examine(&stage1, cgroups.as_ref().map_err(String::as_str)).await?;
        let layers = Layers::choose(&found, config.allow_weaker)?;
        for layer in found.iter().filter(|layer| !layer.available) {
            tracing::warn!(
                layer.name,
                "sandbox layer `{}` is not available: {}",
                layer.name,
                layer.why_not.as_deref().unwrap_or("unknown")
            );
        }
        let proxy_port = config.proxy_port;
        let bundle = egress.as_ref().filter(|_| layers.namespaces).map(|egress| egress.ca_bundle_pem());
        let certificates = bundle.map(in_memory).transpose()?;
        let (births, register) = (Births::default(), Register::default());
        let cgroups = cgroups.ok();
        let pool = Pool::new(Setting { config, stage1, layers, cgroups, certificates, births, register });
        Ok(Sandbox { pool, found, egress, proxy_port, stopped: AtomicBool::new(false) })
    }

    /// What this machine offers, without starting anything that stays.
    pub async fn examine(config: &Config) -> Result<Vec<Layer>, Error> {
        let cgroups = Cgroups::find(config.cgroup.as_deref());
        doctor::examine(&stage1_of(config)?, cgroups.as_ref().map_err(String::as_str)).await
    }

    /// Which layers are on, and what is missing.
    pub fn doctor(&self) -> &[Layer] {
        &self.found
    }

    /// Starts an environment and its ready cells before the first job needs them.
    pub async fn prepare(&self, environment: &Arc<Environment>) -> Result<(), Error> {
        self.pool.prepare(environment).await
    }

    /// Runs a job to its end. Cancelling the token ends it as `Killed`; dropping the future ends it without a word. Either
    /// way the cell and all it started are gone.
    pub async fn run(
        &self,
        job: &Job,
        host: Arc<dyn Host>,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Error> {
        self.run_before_refill(job, host, cancel).await.map(|(outcome, _)| outcome)
    }

    /// Runs a job like [`run`](Sandbox::run), and leaves it to the caller when the next cell is made: that takes a core for a
    /// millisecond or two, which whoever waits for the outcome may be in need of.
    pub async fn run_before_refill(
        &self,
        job: &Job,
        host: Arc<dyn Host>,
        cancel: &CancellationToken,
    ) -> Result<(Outcome, Refill), Error> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let key = job.isolation.key().map(|key| {
            Arc::new(WarmKey {
                environment: Arc::clone(&job.environment),
                key: key.to_owned(),
                owner: job.isolation.owner().map(str::to_owned),
                way_out: job.egress.is_some(),
            })
        });
        let mut may_reuse = true;
        for _ in 1..ATTEMPTS {
            match self.attempt(job, key.as_ref(), may_reuse, &host, cancel).await {
                // Nothing of the job has happened, so it can be given to another cell. A warm one ends itself if the last job
                // left what cannot be put back, and others of its key may be about to.
                Err(Error::Cell { .. }) => may_reuse = false,
                done => return done,
            }
        }
        self.attempt(job, key.as_ref(), may_reuse, &host, cancel).await
    }

    async fn attempt(
        &self,
        job: &Job,
        key: Option<&Arc<WarmKey>>,
        may_reuse: bool,
        host: &Arc<dyn Host>,
        cancel: &CancellationToken,
    ) -> Result<(Outcome, Refill), Error> {
        let (mut cell, hold) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok((Outcome::cancelled(), Refill::none())),
            taken = self.take(job, key, may_reuse) => taken?,
        };
        let _busy = self.pool.register().busy();
        let way_out = self.way_out(job, &mut cell).await?;
        let proxy = way_out.is_some().then_some(self.proxy_port);
        // Making the next cell takes a core from a job that may need it for half a millisecond only, so it waits for the
        // end of a short one.
        let refill = self.pool.refill(&job.environment);
        let (outcome, reusable) = cell.run(job, Arc::clone(host), proxy, cancel, &|| refill.now()).await?;
        self.compile_for_later(job, &cell);
        if let Some(hold) = hold.filter(|_| reusable) {
            self.pool.keep(UsedCell { cell, hold, limits: job.limits });
        }
        Ok((outcome, refill))
    }

    /// A cell, and for a warm job the hold that it is kept with.
    async fn take(
        &self,
        job: &Job,
        key: Option<&Arc<WarmKey>>,
        may_reuse: bool,
    ) -> Result<(Cell, Option<Hold>), Error> {
        let Some(key) = key else { return Ok((self.pool.take(&job.environment).await?, None)) };
        let taken = if may_reuse { self.pool.take_warm(key).await } else { self.pool.take_new(key).await };
        taken.map(|(cell, hold)| (cell, Some(hold)))
    }

    /// What was run before will be run again.
    fn compile_for_later(&self, job: &Job, cell: &Cell) {
        let unknown = cell.uncompiled.iter().filter_map(|place| job.closure.functions.get(*place));
        let wanted: Vec<Function> =
            unknown.filter(|function| cell.zygote.codes.is_wanted(function)).cloned().collect();
        if !wanted.is_empty() {
            self.pool.compile(&cell.zygote, wanted);
        }
    }

    async fn way_out(
        &self,
        job: &Job,
        cell: &mut Cell,
    ) -> Result<Option<Box<dyn std::any::Any + Send>>, Error> {
        let Some(policy) = &job.egress else { return Ok(None) };
        let Some(egress) = &self.egress else {
            return Err(Error::Egress { why: "this sandbox was started without one".to_owned() });
        };
        let listener = cell.listen().await?;
        egress.serve(listener, policy).map(Some).map_err(|error| Error::Egress { why: error.to_string() })
    }

    /// Ends the idle cells that were shared by the jobs of an owner.
    pub fn release(&self, owner: &str) {
        self.pool.release(owner);
    }

    /// Process ids of zygotes and of cells that wait for a job.
    pub fn processes(&self) -> (Vec<u32>, Vec<i32>) {
        self.pool.processes()
    }

    /// How many cells there are, by what they do.
    pub fn census(&self) -> Census {
        self.pool.census()
    }

    /// How the cells were made that were made since this was asked last, if [`Config::time_births`] says so.
    pub fn take_births(&self) -> Vec<Birth> {
        self.pool.take_births()
    }

    /// Ends everything; no process is left when this returns. Running jobs end as `Killed`.
    pub async fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.pool.stop().await;
    }
}

fn stage1_of(config: &Config) -> Result<PathBuf, Error> {
    Ok(match &config.stage1 {
        Some(path) => path.clone(),
        None => std::env::current_exe()?,
    })
}
