//! Cells that ran a job and wait for the next one of the same key. Few, not for long, and none for ever.
//!
//! It is the cell itself that puts back what a job has changed and says that it has nothing left to do, so it is looked at from
//! outside, too: one that goes on working, or left a thread or a process behind, is killed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::cell::Cell;
use crate::config::Config;
use crate::environment::Environment;
use crate::job::JobLimits;
use crate::limits::Watch;
use crate::pool::keeper::Doorbell;
use crate::pool::lock;

/// What a cell may use while it waits; going back to waiting takes less than a millisecond.
const CPU: Duration = Duration::from_millis(50);

/// What a warm job must have in common with those that used its cell before.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct WarmKey {
    pub(crate) environment: Arc<Environment>,
    pub(crate) key: String,
    /// A cell that had a way out knows where it was, so it is not for a job without one.
    pub(crate) way_out: bool,
}

struct Kept {
    key: WarmKey,
    cell: Cell,
    watch: Watch,
    at: Instant,
}

pub(crate) struct Warm {
    most: usize,
    idle: Duration,
    age: Duration,
    waker: Waker,
    /// The one that has waited longest first.
    cells: Mutex<VecDeque<Kept>>,
    /// Those who found none that was free, first come first served. Locked before the cells.
    waiting: Mutex<VecDeque<(WarmKey, oneshot::Sender<Cell>)>>,
}

impl Warm {
    pub(super) fn new(config: &Config, doorbell: &Arc<Doorbell>) -> Warm {
        Warm {
            most: config.warm_cells,
            idle: config.warm_idle,
            age: config.warm_age,
            waker: doorbell.waker(),
            cells: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// A cell that ran jobs of this key before, or the promise of the next that is done with one. Making a cell takes longer than
    /// most jobs.
    pub(crate) fn take(&self, key: &WarmKey) -> Result<Cell, oneshot::Receiver<Cell>> {
        // Held, so that none comes back between the look and the promise.
        let mut waiting = lock(&self.waiting);
        if let Some(cell) = self.free(key) {
            return Ok(cell);
        }
        waiting.retain(|(_, place)| !place.is_closed());
        let (place, next) = oneshot::channel();
        waiting.push_back((key.clone(), place));
        Err(next)
    }

    /// The one that waited least, whose memory is most likely at hand.
    fn free(&self, key: &WarmKey) -> Option<Cell> {
        let mut cells = lock(&self.cells);
        loop {
            let place = cells.iter().rposition(|kept| kept.key == *key)?;
            let kept = cells.remove(place)?;
            if !self.is_old(&kept, Instant::now()) && kept.cell.is_idle() {
                return Some(kept.cell);
            }
        }
    }

    /// Gives it to whoever has waited longest for one of this key. If nobody has, it may use no more than waiting takes from now
    /// on, and no more memory than its last job.
    pub(crate) fn keep(&self, key: WarmKey, mut cell: Cell, limits: JobLimits) {
        if !cell.is_alone() {
            return;
        }
        let mut waiting = lock(&self.waiting);
        let Some(cell) = self.hand_on(&key, cell, &mut waiting) else { return };
        if !cell.guard(&self.waker) {
            return;
        }
        let watch = Watch::new(cell.pid(), JobLimits { cpu: CPU, processes: 1, ..limits });
        let mut cells = lock(&self.cells);
        if cells.is_empty() {
            // The keeper looks at nothing while there is nothing.
            self.waker.wake_by_ref();
        }
        cells.push_back(Kept { key, cell, watch, at: Instant::now() });
        while cells.len() > self.most {
            cells.pop_front();
        }
    }

    /// Comes back if nobody took it.
    fn hand_on(
        &self,
        key: &WarmKey,
        mut cell: Cell,
        waiting: &mut VecDeque<(WarmKey, oneshot::Sender<Cell>)>,
    ) -> Option<Cell> {
        while let Some(place) = waiting.iter().position(|(wanted, _)| wanted == key) {
            if self.has_aged(&cell, Instant::now()) || !cell.is_idle() {
                return None;
            }
            let (_, place) = waiting.remove(place)?;
            match place.send(cell) {
                Ok(()) => return None,
                // Whoever waited there has got another, or has gone away.
                Err(back) => cell = back,
            }
        }
        Some(cell)
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.cells).is_empty()
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.cells).len()
    }

    pub(super) fn drop_ended(&self) {
        lock(&self.cells).retain(|kept| kept.cell.guard(&self.waker));
    }

    /// Drops those that do not only wait.
    pub(super) fn drop_busy(&self) {
        lock(&self.cells).retain_mut(|kept| kept.watch.look().is_none());
    }

    pub(super) fn drop_old(&self, now: Instant) {
        lock(&self.cells).retain(|kept| !self.is_old(kept, now));
    }

    pub(super) fn clear(&self) {
        lock(&self.waiting).clear();
        lock(&self.cells).clear();
    }

    pub(super) fn processes(&self) -> Vec<i32> {
        lock(&self.cells).iter().map(|kept| kept.cell.pid()).collect()
    }

    fn is_old(&self, kept: &Kept, now: Instant) -> bool {
        now.saturating_duration_since(kept.at) > self.idle || self.has_aged(&kept.cell, now)
    }

    fn has_aged(&self, cell: &Cell, now: Instant) -> bool {
        now.saturating_duration_since(cell.born()) > self.age
    }
}
