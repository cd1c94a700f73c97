//! Cells that ran a job and wait for the next one of the same key. Few, not for long, and none for ever.
//!
//! It is the cell itself that puts back what a job has changed and says that it has nothing left to do, so it is looked at from
//! outside, too: one that goes on working, or left a thread or a process behind, is killed.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::cell::Cell;
use crate::config::Config;
use crate::environment::Environment;
use crate::error::Error;
use crate::job::JobLimits;
use crate::limits::Watch;
use crate::pool::busy::{Busy, Hold};
use crate::pool::keeper::IdleWaker;
use crate::pool::lock;

/// What a cell may use while it waits; going back to waiting takes less than a millisecond.
const CPU: Duration = Duration::from_millis(50);

/// Where each processor has a busy cell of the key, a caller waits that long for one of these before another is made. A short
/// job is done long before, and one more cell would only take a processor from the others to be made.
const NEW_CELL_DELAY: Duration = Duration::from_millis(20);

/// What a warm job must have in common with those that used its cell before.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct WarmKey {
    pub(crate) environment: Arc<Environment>,
    pub(crate) key: String,
    /// Whose alone it is.
    pub(crate) owner: Option<String>,
    /// A cell that had a way out knows where it was, so it is not for a job without one.
    pub(crate) way_out: bool,
}

struct IdleCell {
    key: Arc<WarmKey>,
    cell: Cell,
    watch: Watch,
    at: Instant,
}

/// A cell between two jobs, which may use no more memory than the last one while it waits.
pub(crate) struct UsedCell {
    pub(crate) cell: Cell,
    pub(crate) hold: Hold,
    pub(crate) limits: JobLimits,
}

/// The promise of the next cell that is done with a job of this key, for whoever has waited longest.
pub(super) struct NextCell<'a> {
    warm: &'a Warm,
    cell: oneshot::Receiver<UsedCell>,
    /// With it, a new cell may be made at once.
    hold: Option<Hold>,
}

/// A caller who found no cell that was free.
struct Waiting {
    key: Arc<WarmKey>,
    caller: oneshot::Sender<UsedCell>,
}

pub(crate) struct Warm {
    most: usize,
    /// So many cells of one key are made as soon as they are asked for.
    at_once: usize,
    idle: Duration,
    age: Duration,
    waker: Waker,
    /// The one that has waited longest first.
    cells: Mutex<VecDeque<IdleCell>>,
    /// Whether the keeper looks at them. It goes on while the only one is in use for a moment, so it is not woken for each job.
    /// Changed while they are locked.
    is_watched: AtomicBool,
    busy: Arc<Busy>,
    /// First come first served. Locked before the cells.
    waiting: Mutex<VecDeque<Waiting>>,
    /// Changed while those who wait are locked.
    is_stopped: AtomicBool,
}

impl Warm {
    pub(super) fn new(config: &Config, idle_waker: &Arc<IdleWaker>) -> Warm {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Warm {
            most: config.warm_cells,
            at_once: processors.min(config.warm_cells).max(1),
            idle: config.warm_idle,
            age: config.warm_age,
            waker: idle_waker.waker(),
            cells: Mutex::default(),
            is_watched: AtomicBool::new(false),
            busy: Arc::default(),
            waiting: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// A cell that ran jobs of this key before, or the promise of the next that is done with one. Making a cell takes longer than
    /// most jobs.
    pub(super) fn take(&self, key: &Arc<WarmKey>) -> Result<(Cell, Hold), NextCell<'_>> {
        // Held, so that none comes back between the look and the promise.
        let mut waiting = lock(&self.waiting);
        if let Some(cell) = self.free(key) {
            return Ok((cell, self.busy.hold(key)));
        }
        waiting.retain(|one| !one.caller.is_closed());
        let (caller, cell) = oneshot::channel();
        if !self.is_stopped.load(Ordering::Relaxed) {
            waiting.push_back(Waiting { key: Arc::clone(key), caller });
        }
        Err(NextCell { warm: self, cell, hold: self.busy.hold_unless_full(key, self.at_once) })
    }

    /// For a cell that is about to be made.
    pub(super) fn hold(&self, key: &Arc<WarmKey>) -> Hold {
        self.busy.hold(key)
    }

    /// The one that waited least, whose memory is most likely at hand.
    fn free(&self, key: &WarmKey) -> Option<Cell> {
        let mut cells = lock(&self.cells);
        loop {
            let place = cells.iter().rposition(|kept| *kept.key == *key)?;
            let kept = cells.remove(place)?;
            if !self.is_old(&kept, Instant::now()) && kept.cell.is_idle() {
                return Some(kept.cell);
            }
        }
    }

    /// Gives it to whoever has waited longest for one of this key. If nobody has, it may use no more than waiting takes from now
    /// on, and no more memory than its last job.
    pub(crate) fn keep(&self, mut used: UsedCell) {
        if !used.cell.is_alone() {
            return;
        }
        let mut waiting = lock(&self.waiting);
        let Some(UsedCell { cell, hold, limits }) = self.give_to_waiting(used, &mut waiting) else { return };
        if !cell.guard(&self.waker) {
            return;
        }
        let watch = Watch::new(cell.pid(), JobLimits { cpu: CPU, processes: 1, ..limits });
        let mut cells = lock(&self.cells);
        if !self.is_watched.swap(true, Ordering::Relaxed) {
            self.waker.wake_by_ref();
        }
        let key = Arc::clone(&hold.key);
        cells.push_back(IdleCell { key, cell, watch, at: Instant::now() });
        while cells.len() > self.most {
            cells.pop_front();
        }
    }

    /// Comes back if nobody took it.
    fn give_to_waiting(&self, mut used: UsedCell, waiting: &mut VecDeque<Waiting>) -> Option<UsedCell> {
        while let Some(place) = waiting.iter().position(|one| one.key == used.hold.key) {
            if self.has_aged(&used.cell, Instant::now()) || !used.cell.is_idle() {
                return None;
            }
            match waiting.remove(place)?.caller.send(used) {
                Ok(()) => return None,
                // Whoever waited there has got another, or has gone away.
                Err(back) => used = back,
            }
        }
        Some(used)
    }

    pub(super) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.cells).len()
    }

    pub(crate) fn release(&self, owner: &str) {
        lock(&self.cells).retain(|kept| kept.key.owner.as_deref() != Some(owner));
    }

    pub(super) fn drop_ended(&self) {
        lock(&self.cells).retain(|kept| kept.cell.guard(&self.waker));
    }

    /// Drops those that do not only wait. Where there are none, nobody looks until the next one comes.
    pub(super) fn drop_busy(&self) {
        let mut cells = lock(&self.cells);
        cells.retain_mut(|kept| kept.watch.look().is_none());
        if cells.is_empty() {
            self.is_watched.store(false, Ordering::Relaxed);
        }
    }

    pub(super) fn drop_old(&self, now: Instant) {
        lock(&self.cells).retain(|kept| !self.is_old(kept, now));
    }

    /// Those who wait hear of it, and those who come later.
    pub(super) fn stop(&self) {
        let mut waiting = lock(&self.waiting);
        self.is_stopped.store(true, Ordering::Relaxed);
        waiting.clear();
        lock(&self.cells).clear();
    }

    pub(super) fn processes(&self) -> Vec<i32> {
        lock(&self.cells).iter().map(|kept| kept.cell.pid()).collect()
    }

    fn is_old(&self, kept: &IdleCell, now: Instant) -> bool {
        now.saturating_duration_since(kept.at) > self.idle || self.has_aged(&kept.cell, now)
    }

    fn has_aged(&self, cell: &Cell, now: Instant) -> bool {
        now.saturating_duration_since(cell.born()) > self.age
    }
}

impl NextCell<'_> {
    /// The cell, if it comes before a new one may be made.
    pub(super) async fn in_time(&mut self) -> Option<Result<UsedCell, Error>> {
        match self.hold {
            Some(_) => None,
            None => timeout(NEW_CELL_DELAY, self.cell()).await.ok(),
        }
    }

    pub(super) async fn cell(&mut self) -> Result<UsedCell, Error> {
        (&mut self.cell).await.map_err(|_| Error::Stopped)
    }

    /// For the new cell, which is made while this one is still waited for.
    pub(super) fn hold(&mut self, key: &Arc<WarmKey>) -> Hold {
        self.hold.take().unwrap_or_else(|| self.warm.hold(key))
    }
}

/// A cell that came too late is for the next one.
impl Drop for NextCell<'_> {
    fn drop(&mut self) {
        self.cell.close();
        if let Ok(used) = self.cell.try_recv() {
            self.warm.keep(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::busy::tests::key;

    fn hold_or_wait<'a>(warm: &'a Warm, key: &Arc<WarmKey>) -> NextCell<'a> {
        warm.take(key).err().expect("no cell was kept")
    }

    #[tokio::test]
    async fn one_cell_for_each_processor_is_made_at_once_and_more_after_a_while() {
        let warm = Warm::new(&Config::default(), &Arc::default());
        let (crowded, other) = (key("crowded"), key("other"));
        let mut holds = Vec::new();
        for _ in 0..warm.at_once {
            let mut next = hold_or_wait(&warm, &crowded);
            holds.push(next.hold.take().expect("there are not that many yet"));
        }
        assert!(hold_or_wait(&warm, &other).hold.is_some());
        let mut next = hold_or_wait(&warm, &crowded);
        let begun = Instant::now();
        assert!(next.in_time().await.is_none());
        assert!(begun.elapsed() >= NEW_CELL_DELAY);
        drop(holds);
        assert!(hold_or_wait(&warm, &crowded).hold.is_some(), "those are not busy any more");
    }

    #[tokio::test]
    async fn whoever_waits_when_all_stops_hears_of_it() {
        let warm = Warm::new(&Config { warm_cells: 1, ..Config::default() }, &Arc::default());
        let key = key("a");
        let _busy = warm.hold(&key);
        let mut early = hold_or_wait(&warm, &key);
        warm.stop();
        let mut late = hold_or_wait(&warm, &key);
        for next in [&mut early, &mut late] {
            assert!(matches!(next.in_time().await, Some(Err(Error::Stopped))));
        }
    }

    #[test]
    fn no_more_are_made_at_once_than_are_kept() {
        let most =
            |warm_cells| Warm::new(&Config { warm_cells, ..Config::default() }, &Arc::default()).at_once;
        assert_eq!([most(0), most(1)], [1, 1]);
    }
}
