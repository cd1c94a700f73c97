//! Runs that this process owns: it claimed them and has not settled them. How to interrupt one, and how to follow one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use model::run::step::Divergence;
use model::run::{Lease, LeftBehind, Waiting};
use sandbox::CancellationToken;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::engine::execution::host::RunHost;
use crate::engine::execution::live::Live;

/// Why a Run's cell is ended from here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interruption {
    Cancelled,
    /// It waits and gives its cell back.
    Suspended(Waiting),
    Diverged(Box<Divergence>),
    /// The server stops.
    Stopped,
    /// The database cannot be used, so the journal is not written.
    DatabaseFailed(String),
    /// The journal refuses to be written.
    NotJournaled(String),
    /// Another server has the Run.
    LeaseLost,
}

/// The end of one Run's cell, in anyone's hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) token: CancellationToken,
    why: Arc<Mutex<Option<Interruption>>>,
}

impl Interrupt {
    /// The first reason counts.
    pub(crate) fn set(&self, why: Interruption) {
        lock(&self.why).get_or_insert(why);
        self.token.cancel();
    }

    pub(crate) fn why(&self) -> Option<Interruption> {
        lock(&self.why).clone()
    }
}

/// One claim of a Run. When it is claimed again, also by the same node, that is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    pub(crate) run: RunId,
    pub(crate) fence: u64,
}

#[derive(Default)]
pub(crate) struct Running {
    /// In the order in which they are answered for.
    runs: Mutex<BTreeMap<RunId, Entry>>,
    /// Claims whose Runs were begun and that nobody settled, because what executed them is gone.
    abandoned: Mutex<HashMap<Claim, LeftBehind>>,
    /// Woken when a Run begins or is no longer executed here.
    notify: Notify,
}

struct Entry {
    fence: u64,
    interrupt: Interrupt,
    /// There as soon as its cell is.
    host: Option<RunHost>,
}

/// A Run is owned by this process until this is dropped.
pub(crate) struct OwnedRun {
    running: Arc<Running>,
    claim: Claim,
    pub(crate) interrupt: Interrupt,
    is_begun: bool,
}

impl OwnedRun {
    pub(crate) fn take(running: &Arc<Running>, run: RunId, lease: Lease) -> OwnedRun {
        let (claim, interrupt) = (Claim { run, fence: lease.fence }, Interrupt::default());
        let entry = Entry { fence: lease.fence, interrupt: interrupt.clone(), host: None };
        // Whoever still has an earlier claim of it has lost that.
        if let Some(earlier) = lock(&running.runs).insert(run, entry) {
            earlier.interrupt.set(Interruption::LeaseLost);
            if let Some(host) = earlier.host {
                host.0.close();
            }
        }
        OwnedRun { running: Arc::clone(running), claim, interrupt, is_begun: false }
    }

    /// From now on it may have had effects, and others can follow.
    pub(crate) fn begin(&mut self, host: &RunHost) {
        self.is_begun = true;
        if let Some(entry) = entry(self.claim, &mut lock(&self.running.runs)) {
            entry.host = Some(host.clone());
        }
        self.running.notify.notify_waiters();
    }

    /// What happened to it is stored, or it is someone else's.
    pub(crate) fn stored(mut self) {
        self.is_begun = false;
    }
}

impl Drop for OwnedRun {
    fn drop(&mut self) {
        let mut runs = lock(&self.running.runs);
        let is_this = runs.get(&self.claim.run).is_some_and(|entry| entry.fence == self.claim.fence);
        let entry = if is_this { runs.remove(&self.claim.run) } else { None };
        if self.is_begun {
            let how = if std::thread::panicking() { LeftBehind::Panicked } else { LeftBehind::Begun };
            lock(&self.running.abandoned).insert(self.claim, how);
        }
        drop(runs);
        // Whatever ended it, nobody follows for ever.
        if let Some(host) = entry.and_then(|entry| entry.host) {
            host.0.close();
        }
        self.running.notify.notify_waiters();
    }
}

impl Running {
    pub(crate) fn interrupt(&self, run: RunId, why: Interruption) {
        if let Some(entry) = lock(&self.runs).get(&run) {
            entry.interrupt.set(why);
        }
    }

    pub(crate) fn interrupt_claim(&self, claim: Claim, why: Interruption) {
        if let Some(entry) = entry(claim, &mut lock(&self.runs)) {
            entry.interrupt.set(why);
        }
    }

    /// All that are owned.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        lock(&self.runs).iter().map(|(run, entry)| Claim { run: *run, fence: entry.fence }).collect()
    }

    /// How this process left a Run behind that it does not own any more.
    pub(crate) fn left(&self, claim: Claim) -> LeftBehind {
        lock(&self.abandoned).get(&claim).copied().unwrap_or(LeftBehind::NotBegun)
    }

    /// It is handled.
    pub(crate) fn forget(&self, claim: Claim) {
        lock(&self.abandoned).remove(&claim);
    }

    /// Claims that were begun and that nobody settled.
    pub(crate) fn abandoned(&self) -> Vec<Claim> {
        lock(&self.abandoned).keys().copied().collect()
    }

    /// Returns when no Run is owned.
    pub(crate) async fn all_ended(&self) {
        loop {
            let mut changed = std::pin::pin!(self.changed());
            changed.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            changed.await;
        }
    }

    /// Looks on while its code is executed here.
    pub(crate) fn look(&self, run: RunId) -> Option<Live> {
        let runs = lock(&self.runs);
        let host = runs.get(&run)?.host.as_ref()?;
        let is_over = host.0.collected_so_far().over;
        (!is_over).then(|| Live::of(host))
    }

    /// Woken when a Run begins or is no longer executed here. Listen before you look.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.notify.notified()
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.runs).len()
    }

    pub(crate) fn interrupt_all(&self, why: &Interruption) {
        for entry in lock(&self.runs).values() {
            entry.interrupt.set(why.clone());
        }
    }
}

fn entry(claim: Claim, runs: &mut BTreeMap<RunId, Entry>) -> Option<&mut Entry> {
    runs.get_mut(&claim.run).filter(|entry| entry.fence == claim.fence)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
