//! Outputs of Runs that are not recorded, in memory, for callers in this process that started them and wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use model::run::Run;

#[derive(Clone, Default)]
pub(crate) struct Awaited(Arc<Mutex<HashMap<RunId, Waiters>>>);

#[derive(Default)]
struct Waiters {
    count: usize,
    ended: Option<Run>,
}

/// Someone waits for the end of a Run. When the last of them is gone it is forgotten.
pub(crate) struct AwaitedRun {
    all: Awaited,
    id: RunId,
}

impl Awaited {
    pub(crate) fn wait_for(&self, id: RunId) -> AwaitedRun {
        self.lock().entry(id).or_default().count += 1;
        AwaitedRun { all: self.clone(), id }
    }

    /// It has ended so. Nothing is remembered unless someone waits, and the first end is the one. Says whether it is this.
    pub(crate) fn end(&self, run: &Run) -> bool {
        match self.lock().get_mut(&run.run_id) {
            Some(waiters) if waiters.ended.is_none() => {
                waiters.ended = Some(run.clone());
                true
            }
            _ => false,
        }
    }

    /// It was not this process that ended it.
    pub(crate) fn forget(&self, id: RunId) {
        if let Some(waiters) = self.lock().get_mut(&id) {
            waiters.ended = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Waiters>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AwaitedRun {
    /// How it ended, if it ended here and is not recorded.
    pub(crate) fn ended(&self) -> Option<Run> {
        self.all.lock().get(&self.id).and_then(|waiters| waiters.ended.clone())
    }
}

impl Drop for AwaitedRun {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(waiters) = all.get_mut(&self.id) {
            waiters.count -= 1;
            if waiters.count == 0 {
                all.remove(&self.id);
            }
        }
    }
}
