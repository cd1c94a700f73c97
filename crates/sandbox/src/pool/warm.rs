//! Cells that ran a job and wait for the next one of the same key. Few, not for long, and none for ever.
//!
//! It is the cell itself that says it has nothing left to do, so it is still looked at: one that goes on working, or left a
//! process behind, is killed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

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
}

impl Warm {
    pub(super) fn new(config: &Config, doorbell: &Arc<Doorbell>) -> Warm {
        Warm {
            most: config.warm_cells,
            idle: config.warm_idle,
            age: config.warm_age,
            waker: doorbell.waker(),
            cells: Mutex::default(),
        }
    }

    /// A cell that ran jobs of this key before; the one that waited least, whose memory is most likely at hand.
    pub(crate) fn take(&self, key: &WarmKey) -> Option<Cell> {
        let mut cells = lock(&self.cells);
        loop {
            let place = cells.iter().rposition(|kept| kept.key == *key)?;
            let kept = cells.remove(place)?;
            if !self.is_old(&kept, Instant::now()) && kept.cell.is_idle() {
                return Some(kept.cell);
            }
        }
    }

    /// From now on it may use no more than waiting takes, and no more memory than its last job.
    pub(crate) fn keep(&self, key: WarmKey, cell: Cell, limits: JobLimits) {
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
        lock(&self.cells).clear();
    }

    pub(super) fn processes(&self) -> Vec<i32> {
        lock(&self.cells).iter().map(|kept| kept.cell.pid()).collect()
    }

    fn is_old(&self, kept: &Kept, now: Instant) -> bool {
        let since = |then: Instant| now.saturating_duration_since(then);
        since(kept.at) > self.idle || since(kept.cell.born()) > self.age
    }
}
