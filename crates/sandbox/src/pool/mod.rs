//! The pool: for each environment a nest with a zygote and some cells that are ready, made ahead of demand and again after
//! each use; and cells that are kept warm. What waits too long is let go, what dies while it waits is replaced.

mod busy;
mod keeper;
mod nest;
mod slots;
mod warm;

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

use crate::birth::{Birth, Births};
use crate::cell::Cell;
use crate::census::{Census, Register};
use crate::config::Config;
use crate::doctor::Layers;
use crate::environment::Environment;
use crate::error::Error;
use crate::job::Function;
use crate::limits::Cgroups;
pub(crate) use crate::pool::busy::Hold;
use crate::pool::keeper::IdleWaker;
use crate::pool::nest::Nest;
use crate::pool::warm::Warm;
pub(crate) use crate::pool::warm::{UsedCell, WarmKey};
use crate::zygote::Zygote;

/// What every part of the pool needs to know.
pub(crate) struct Setting {
    pub(crate) config: Config,
    pub(crate) stage1: PathBuf,
    pub(crate) layers: Layers,
    pub(crate) cgroups: Option<Cgroups>,
    /// What cells check servers by, where they may have a way out.
    pub(crate) certificates: Option<File>,
    pub(crate) births: Births,
    pub(crate) register: Register,
}

pub(crate) struct Pool {
    shared: Arc<Shared>,
    keeper: AbortHandle,
}

/// What the pool and its keeper look at.
struct Shared {
    setting: Arc<Setting>,
    nests: Mutex<HashMap<Arc<Environment>, Arc<Nest>>>,
    warm: Warm,
    /// Rung by a cell that ends while it waits.
    idle_waker: Arc<IdleWaker>,
}

/// Has a cell made in the place of one that was used, when it is dropped.
#[must_use = "dropped at once it takes a core from whatever comes next"]
pub struct Refill(Option<Arc<Nest>>);

impl Refill {
    /// Of a cell that was never taken.
    pub(crate) fn none() -> Refill {
        Refill(None)
    }

    pub(crate) fn now(&self) {
        if let Some(nest) = &self.0 {
            nest.refill();
        }
    }
}

impl Drop for Refill {
    fn drop(&mut self) {
        self.now();
    }
}

impl std::fmt::Debug for Refill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Refill")
    }
}

impl Pool {
    pub(crate) fn new(setting: Setting) -> Pool {
        let idle_waker = Arc::new(IdleWaker::default());
        let shared = Arc::new(Shared {
            warm: Warm::new(&setting.config, &idle_waker),
            setting: Arc::new(setting),
            nests: Mutex::default(),
            idle_waker,
        });
        let keeper = tokio::spawn(keeper::keep(Arc::downgrade(&shared), Arc::clone(&shared.idle_waker)));
        Pool { shared, keeper: keeper.abort_handle() }
    }

    /// A ready cell, or the next that is made. Whoever takes it asks for a refill when that does not slow the job down.
    pub(crate) async fn take(&self, environment: &Arc<Environment>) -> Result<Cell, Error> {
        self.shared.nest(environment).take().await
    }

    /// A warm cell that is free; else whichever comes first, one that becomes free or a new one. A new one is made at once only
    /// for the first callers of the key.
    pub(crate) async fn take_warm(&self, key: &Arc<WarmKey>) -> Result<(Cell, Hold), Error> {
        let mut next = match self.shared.warm.take(key) {
            Ok(free) => return Ok(free),
            Err(next) => next,
        };
        let used = match next.in_time().await {
            Some(used) => used?,
            None => {
                let hold = next.hold(key);
                tokio::select! {
                    biased;
                    used = next.cell() => used?,
                    cell = self.take(&key.environment) => return Ok((cell?, hold)),
                }
            }
        };
        Ok((used.cell, used.hold))
    }

    /// A new cell that is to become a warm one.
    pub(crate) async fn take_new(&self, key: &Arc<WarmKey>) -> Result<(Cell, Hold), Error> {
        let hold = self.shared.warm.hold(key);
        Ok((self.take(&key.environment).await?, hold))
    }

    pub(crate) fn refill(&self, environment: &Environment) -> Refill {
        Refill(self.shared.present(environment))
    }

    /// Starts an environment and fills its nest, so that the first job need not wait.
    pub(crate) async fn prepare(&self, environment: &Arc<Environment>) -> Result<(), Error> {
        self.shared.nest(environment).fill().await
    }

    /// Compiles functions in the background, so that the next jobs need not.
    pub(crate) fn compile(&self, zygote: &Arc<Zygote>, functions: Vec<Function>) {
        if let Some(nest) = self.shared.present(&zygote.environment) {
            nest.compile(Arc::clone(zygote), functions);
        }
    }

    /// Keeps a cell for the next job of its key.
    pub(crate) fn keep(&self, used: UsedCell) {
        self.shared.warm.keep(used);
    }

    /// Ends the warm cells that are this owner's alone.
    pub(crate) fn release(&self, owner: &str) {
        self.shared.warm.release(owner);
    }

    /// The processes of zygotes and of cells that wait, for tests and measurements.
    pub(crate) fn processes(&self) -> (Vec<u32>, Vec<i32>) {
        let nests = lock(&self.shared.nests);
        let zygotes = nests.values().filter_map(|nest| nest.process()).collect();
        let cells =
            nests.values().flat_map(|nest| nest.ready()).chain(self.shared.warm.processes()).collect();
        (zygotes, cells)
    }

    pub(crate) fn register(&self) -> &Register {
        &self.shared.setting.register
    }

    pub(crate) fn census(&self) -> Census {
        let nests = lock(&self.shared.nests);
        Census {
            zygotes: nests.values().filter(|nest| nest.process().is_some()).count(),
            ready: nests.values().map(|nest| nest.ready_count()).sum(),
            warm: self.shared.warm.count(),
            ..self.register().census()
        }
    }

    pub(crate) fn take_births(&self) -> Vec<Birth> {
        self.shared.setting.births.take()
    }

    /// Ends every zygote, and with them every cell.
    pub(crate) async fn stop(&self) {
        self.keeper.abort();
        self.shared.warm.stop();
        let nests: Vec<Arc<Nest>> = lock(&self.shared.nests).drain().map(|(_, nest)| nest).collect();
        for nest in nests {
            nest.stop().await;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl Shared {
    /// The nest of an environment that was not retired meanwhile.
    fn present(&self, environment: &Environment) -> Option<Arc<Nest>> {
        let nest = lock(&self.nests).get(environment).map(Arc::clone)?;
        nest.was_used();
        Some(nest)
    }

    fn nest(&self, environment: &Arc<Environment>) -> Arc<Nest> {
        if let Some(nest) = self.present(environment) {
            return nest;
        }
        let mut nests = lock(&self.nests);
        let new = || Arc::new(Nest::new(&self.setting, environment, &self.idle_waker));
        let nest = Arc::clone(nests.entry(Arc::clone(environment)).or_insert_with(new));
        while nests.len() > self.setting.config.environments.max(1) {
            retire_oldest(&mut nests);
        }
        nest
    }
}

/// Cells that are running keep their zygote until they end.
fn retire_oldest(nests: &mut HashMap<Arc<Environment>, Arc<Nest>>) {
    let oldest = nests.iter().min_by_key(|(_, nest)| nest.last_used()).map(|(key, _)| Arc::clone(key));
    if let Some(nest) = oldest.and_then(|environment| nests.remove(&environment)) {
        nest.retire();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
