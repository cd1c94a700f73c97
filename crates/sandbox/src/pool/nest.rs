//! A nest: one environment's zygote, its ready cells, and those who wait for one. It mends itself: a dead zygote is replaced,
//! a dead cell is not handed out, a failed fork is told to whoever waits and tried again when nobody does.

use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout};

use crate::cell::Cell;
use crate::environment::Environment;
use crate::error::Error;
use crate::job::Function;
use crate::pool::keeper::IdleWaker;
use crate::pool::slots::{Claim, Slots};
use crate::pool::{Setting, lock};
use crate::zygote::Zygote;

/// How often a fork is tried before it has failed.
const ATTEMPTS: usize = 3;

/// After a failure that nobody waited for, the next attempt is made that much later, and twice that after each further one.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(30);

pub(super) struct Nest {
    setting: Arc<Setting>,
    environment: Arc<Environment>,
    waker: Waker,
    /// Held while a zygote starts, so that there is one.
    starting: tokio::sync::Mutex<()>,
    current: Mutex<Option<Arc<Zygote>>>,
    slots: Mutex<Slots>,
    /// Told after each attempt to make a cell.
    tried: Notify,
    /// Ends a rest.
    mended: Notify,
}

impl Nest {
    pub(super) fn new(
        setting: &Arc<Setting>,
        environment: &Arc<Environment>,
        idle_waker: &Arc<IdleWaker>,
    ) -> Nest {
        Nest {
            setting: Arc::clone(setting),
            environment: Arc::clone(environment),
            waker: idle_waker.waker(),
            starting: tokio::sync::Mutex::new(()),
            current: Mutex::new(None),
            slots: Mutex::new(Slots::new()),
            tried: Notify::new(),
            mended: Notify::new(),
        }
    }

    pub(super) fn was_used(&self) {
        lock(&self.slots).last_used = Instant::now();
    }

    pub(super) fn last_used(&self) -> Instant {
        lock(&self.slots).last_used()
    }

    pub(super) fn ready(&self) -> Vec<i32> {
        lock(&self.slots).ready.iter().map(Cell::pid).collect()
    }

    pub(super) fn ready_count(&self) -> usize {
        lock(&self.slots).ready.len()
    }

    pub(super) fn process(&self) -> Option<u32> {
        lock(&self.current).as_ref().and_then(|zygote| zygote.process())
    }

    pub(super) async fn take(self: &Arc<Nest>) -> Result<Cell, Error> {
        let (taken, empty) = {
            let mut slots = lock(&self.slots);
            (slots.take(), slots.ready.is_empty())
        };
        if empty {
            self.refill();
        }
        match taken {
            Ok(cell) => Ok(cell),
            Err(next) => {
                let mut next = NewCell { nest: self, cell: next };
                (&mut next.cell).await.unwrap_or(Err(Error::Stopped))
            }
        }
    }

    /// Waits until as many cells are ready as there should be, or one cannot be made.
    pub(super) async fn fill(self: &Arc<Nest>) -> Result<(), Error> {
        loop {
            let tried = self.tried.notified();
            tokio::pin!(tried);
            tried.as_mut().enable();
            let (ear, failure) = oneshot::channel();
            {
                let mut slots = lock(&self.slots);
                if slots.ready.len() >= self.setting.config.ready_cells || slots.retired {
                    return Ok(());
                }
                slots.asking.push(ear);
            }
            self.refill();
            tokio::select! {
                biased;
                Ok(error) = failure => return Err(error),
                () = tried => {}
            }
        }
    }

    /// Makes cells in the background until enough are ready.
    pub(super) fn refill(self: &Arc<Nest>) {
        while let Some(mut claim) = self.claim() {
            let nest = Arc::clone(self);
            tokio::spawn(async move {
                loop {
                    let made = nest.make(&claim).await;
                    if let Err(error) = nest.finish_claim(&claim, made) {
                        nest.rest(&error);
                    }
                    match nest.claim() {
                        Some(next) => claim = next,
                        None => return,
                    }
                }
            });
        }
    }

    /// Whether one more cell is to be made; it is counted as being made from now on.
    fn claim(&self) -> Option<Claim> {
        lock(&self.slots).claim(self.setting.config.ready_cells)
    }

    /// A failure that nobody waited for comes back.
    fn finish_claim(&self, claim: &Claim, made: Result<Cell, Error>) -> Result<(), Error> {
        let mut slots = lock(&self.slots);
        let mends = slots.resting && made.is_ok();
        let result = slots.finish_claim(claim, made, &self.waker);
        drop(slots);
        if mends {
            self.mended.notify_one();
        }
        self.tried.notify_waiters();
        result
    }

    /// Leaves off for a while, longer each time, or until someone who needed a cell got one after all.
    fn rest(self: &Arc<Nest>, error: &Error) {
        let mut slots = lock(&self.slots);
        if slots.resting || slots.retired {
            return;
        }
        slots.resting = true;
        slots.failures += 1;
        let rest = (FIRST_REST * 2u32.saturating_pow(slots.failures.min(16) - 1)).min(LONGEST_REST);
        tracing::warn!(
            environment.id = self.environment.id,
            "cannot make cells ahead, next attempt in {} ms: {error}",
            rest.as_millis()
        );
        let nest = Arc::clone(self);
        tokio::spawn(async move {
            // That it is mended and that the time is over mean the same.
            let _ = timeout(rest, nest.mended.notified()).await;
            lock(&nest.slots).resting = false;
            nest.refill();
        });
    }

    /// A zygote that is dying fails in more ways than one before everybody has heard of it, so a failure is real only when
    /// it comes again.
    async fn make(&self, claim: &Claim) -> Result<Cell, Error> {
        let mut attempt = 1;
        loop {
            let zygote = self.zygote().await?;
            match self.fork(&zygote, claim).await {
                Err(Error::Cell { .. }) if attempt < ATTEMPTS => attempt += 1,
                made => return made,
            }
        }
    }

    async fn fork(&self, zygote: &Arc<Zygote>, claim: &Claim) -> Result<Cell, Error> {
        let setting = &self.setting;
        let begun = Instant::now();
        let forked = Cell::fork(zygote, setting.config.frame, claim.hurry, setting.cgroups.as_ref());
        let forked = forked.await;
        setting.register.birth(forked.is_ok());
        let (cell, steps) = forked?;
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

    /// Compiles functions in the background, each in a cell of its own, for the cells of a zygote.
    pub(super) fn compile(self: &Arc<Nest>, zygote: Arc<Zygote>, functions: Vec<Function>) {
        let nest = Arc::clone(self);
        tokio::spawn(async move {
            for function in functions {
                match nest.take().await {
                    Ok(cell) if Arc::ptr_eq(&cell.zygote, &zygote) => {
                        zygote.codes.learn(&function, cell.compile(&function).await);
                    }
                    // The zygote was replaced, or jobs have the same problem, and it is told there.
                    _ => zygote.codes.forget(&function),
                }
                nest.refill();
            }
        });
    }

    /// Lets go of cells that ended while they waited, and makes others.
    pub(super) fn replace_ended(self: &Arc<Nest>) {
        lock(&self.slots).ready.retain(|cell| cell.guard(&self.waker));
        self.refill();
    }

    /// Makes nothing ahead any more. Those who wait still get their cell.
    pub(super) fn retire(&self) {
        let mut slots = lock(&self.slots);
        slots.retired = true;
        slots.ready.clear();
        drop(slots);
        lock(&self.current).take();
        self.tried.notify_waiters();
    }

    /// Ends the zygote and all cells; those who wait hear that there are none any more.
    pub(super) async fn stop(&self) {
        {
            let mut slots = lock(&self.slots);
            slots.retired = true;
            slots.ready.clear();
            slots.waiting.clear();
        }
        self.tried.notify_waiters();
        let zygote = lock(&self.current).take();
        if let Some(zygote) = zygote {
            zygote.stop().await;
        }
    }
}

/// The promise of a new cell.
struct NewCell<'a> {
    nest: &'a Nest,
    cell: oneshot::Receiver<Result<Cell, Error>>,
}

/// A cell that came too late is for the next one.
impl Drop for NewCell<'_> {
    fn drop(&mut self) {
        self.cell.close();
        if let Ok(Ok(cell)) = self.cell.try_recv() {
            lock(&self.nest.slots).put(cell, &self.nest.waker);
        }
    }
}
