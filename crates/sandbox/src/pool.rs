//! The pool: for each environment a zygote and some cells that are ready, made ahead of demand and again after each use. It
//! mends itself: a dead zygote is replaced, a dead cell is not handed out, a failed fork is told to whoever waits for it.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::birth::{Birth, Births};
use crate::cell::Cell;
use crate::config::Config;
use crate::doctor::Layers;
use crate::environment::Environment;
use crate::error::Error;
use crate::limits::Cgroups;
use crate::zygote::Zygote;

/// Forks asked for at once. The zygote makes one at a time; the next is asked for while the last puts on its layers.
const WINDOW: usize = 2;

/// How often a fork is tried.
const ATTEMPTS: usize = 3;

/// What every part of the pool needs to know.
pub(crate) struct Setting {
    pub(crate) config: Config,
    pub(crate) stage1: PathBuf,
    pub(crate) layers: Layers,
    pub(crate) cgroups: Option<Cgroups>,
    /// What cells check servers by, where they may have a way out.
    pub(crate) certificates: Option<File>,
    pub(crate) births: Births,
}

pub(crate) struct Pool {
    setting: Arc<Setting>,
    nests: Mutex<HashMap<Arc<Environment>, Arc<Nest>>>,
    /// Counts uses, to know which environment was used longest ago.
    uses: AtomicU64,
    warm: Mutex<VecDeque<(WarmKey, Cell)>>,
}

/// What a warm job must have in common with those that used its cell before.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct WarmKey {
    pub(crate) environment: Arc<Environment>,
    pub(crate) key: String,
    /// A cell that had a way out knows where it was, so it is not for a job without one.
    pub(crate) way_out: bool,
}

impl Pool {
    pub(crate) fn new(setting: Setting) -> Pool {
        Pool {
            setting: Arc::new(setting),
            nests: Mutex::default(),
            uses: AtomicU64::new(0),
            warm: Mutex::default(),
        }
    }

    /// A ready cell, or a new one if none is. Whoever takes it asks for a refill when that does not slow the job down.
    pub(crate) async fn take(&self, environment: &Arc<Environment>) -> Result<Cell, Error> {
        self.nest(environment).take().await
    }

    pub(crate) fn refill(&self, environment: &Arc<Environment>) {
        self.nest(environment).refill();
    }

    /// Starts an environment and fills its nest, so that the first job need not wait.
    pub(crate) async fn prepare(&self, environment: &Arc<Environment>) -> Result<(), Error> {
        let nest = self.nest(environment);
        while lock(&nest.ready).len() < self.setting.config.ready_cells {
            let cell = nest.make().await?;
            lock(&nest.ready).push_back(cell);
        }
        Ok(())
    }

    /// A cell that ran jobs of this key before.
    pub(crate) fn take_warm(&self, key: &WarmKey) -> Option<Cell> {
        let mut warm = lock(&self.warm);
        loop {
            let place = warm.iter().position(|(held, _)| held == key)?;
            let (_, cell) = warm.remove(place)?;
            if cell.is_alive() {
                return Some(cell);
            }
        }
    }

    pub(crate) fn keep_warm(&self, key: WarmKey, cell: Cell) {
        let mut warm = lock(&self.warm);
        warm.push_back((key, cell));
        while warm.len() > self.setting.config.warm_cells {
            warm.pop_front();
        }
    }

    /// The processes of zygotes and of cells that wait, for tests and measurements.
    pub(crate) fn processes(&self) -> (Vec<u32>, Vec<i32>) {
        let nests = lock(&self.nests);
        let zygotes =
            nests.values().filter_map(|nest| lock(&nest.current).as_ref().and_then(|z| z.process()));
        let cells =
            nests.values().flat_map(|nest| lock(&nest.ready).iter().map(Cell::pid).collect::<Vec<_>>());
        (zygotes.collect(), cells.collect())
    }

    pub(crate) fn take_births(&self) -> Vec<Birth> {
        self.setting.births.take()
    }

    /// Ends every zygote, and with them every cell.
    pub(crate) async fn stop(&self) {
        lock(&self.warm).clear();
        let nests: Vec<Arc<Nest>> = lock(&self.nests).drain().map(|(_, nest)| nest).collect();
        for nest in nests {
            nest.retire().await;
        }
    }

    fn nest(&self, environment: &Arc<Environment>) -> Arc<Nest> {
        let now = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut nests = lock(&self.nests);
        let nest = nests.entry(Arc::clone(environment)).or_insert_with(|| {
            Arc::new(Nest {
                setting: Arc::clone(&self.setting),
                environment: Arc::clone(environment),
                starting: tokio::sync::Mutex::new(()),
                current: Mutex::new(None),
                ready: Mutex::default(),
                forking: AtomicUsize::new(0),
                last_used: AtomicU64::new(now),
                retired: AtomicBool::new(false),
            })
        });
        nest.last_used.store(now, Ordering::Relaxed);
        let nest = Arc::clone(nest);
        while nests.len() > self.setting.config.environments.max(1) {
            retire_oldest(&mut nests);
        }
        nest
    }
}

/// Cells that are running keep their zygote until they end.
fn retire_oldest(nests: &mut HashMap<Arc<Environment>, Arc<Nest>>) {
    let oldest = nests
        .values()
        .min_by_key(|nest| nest.last_used.load(Ordering::Relaxed))
        .map(|nest| Arc::clone(&nest.environment));
    if let Some(nest) = oldest.and_then(|environment| nests.remove(&environment)) {
        nest.retired.store(true, Ordering::Relaxed);
        lock(&nest.ready).clear();
        lock(&nest.current).take();
    }
}

/// One environment's zygote and ready cells.
struct Nest {
    setting: Arc<Setting>,
    environment: Arc<Environment>,
    /// Held while a zygote starts, so that there is one.
    starting: tokio::sync::Mutex<()>,
    current: Mutex<Option<Arc<Zygote>>>,
    ready: Mutex<VecDeque<Cell>>,
    forking: AtomicUsize,
    last_used: AtomicU64,
    retired: AtomicBool,
}

impl Nest {
    async fn take(self: &Arc<Nest>) -> Result<Cell, Error> {
        let ready = self.pop_ready();
        if lock(&self.ready).is_empty() {
            self.refill();
        }
        match ready {
            Some(cell) => Ok(cell),
            None => self.make().await,
        }
    }

    fn pop_ready(&self) -> Option<Cell> {
        let mut ready = lock(&self.ready);
        while let Some(cell) = ready.pop_front() {
            if cell.is_alive() {
                return Some(cell);
            }
        }
        None
    }

    /// A zygote that is dying fails in more ways than one before everybody has heard of it, so a failure is real only when
    /// it comes again.
    async fn make(&self) -> Result<Cell, Error> {
        let mut attempt = 1;
        loop {
            let zygote = self.zygote().await?;
            match self.fork(&zygote).await {
                Err(Error::Cell { .. }) if attempt < ATTEMPTS => attempt += 1,
                made => return made,
            }
        }
    }

    async fn fork(&self, zygote: &Arc<Zygote>) -> Result<Cell, Error> {
        let setting = &self.setting;
        let begun = Instant::now();
        let (cell, steps) = Cell::fork(zygote, setting.config.frame, setting.cgroups.as_ref()).await?;
        if setting.config.time_births {
            setting.births.keep(steps, begun.elapsed());
        }
        Ok(cell)
    }

    async fn zygote(&self) -> Result<Arc<Zygote>, Error> {
        let _alone = self.starting.lock().await;
        if let Some(zygote) = lock(&self.current).as_ref().filter(|zygote| !zygote.gone.is_cancelled()) {
            return Ok(Arc::clone(zygote));
        }
        let Setting { config, stage1, layers, certificates, .. } = &*self.setting;
        let zygote = Zygote::start(config, stage1, *layers, &self.environment, certificates.as_ref()).await?;
        let zygote = Arc::new(zygote);
        *lock(&self.current) = Some(Arc::clone(&zygote));
        Ok(zygote)
    }

    /// Makes cells in the background until enough are ready. A failure is not tried again from here: the next job that
    /// needs a cell does that, and can tell somebody.
    fn refill(self: &Arc<Nest>) {
        loop {
            let forking = self.forking.load(Ordering::Relaxed);
            let enough = lock(&self.ready).len() + forking >= self.setting.config.ready_cells;
            if enough || forking >= WINDOW || self.retired.load(Ordering::Relaxed) {
                return;
            }
            self.forking.fetch_add(1, Ordering::Relaxed);
            let nest = Arc::clone(self);
            tokio::spawn(async move {
                let made = nest.make().await;
                nest.forking.fetch_sub(1, Ordering::Relaxed);
                match made {
                    Ok(cell) if !nest.retired.load(Ordering::Relaxed) => {
                        lock(&nest.ready).push_back(cell);
                        nest.refill();
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(environment.id = nest.environment.id, "cannot refill: {error}");
                    }
                }
            });
        }
    }

    async fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
        lock(&self.ready).clear();
        let zygote = lock(&self.current).take();
        if let Some(zygote) = zygote {
            zygote.stop().await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
