//! Runs that this process carries out right now: how to end one, and how to look on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use model::run::Waiting;
use model::step::Divergence;
use sandbox::CancellationToken;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::host::RunHost;
use super::live::Live;

/// Why a Run's cell is ended from here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interruption {
    Cancelled,
    /// It waits and gives its cell back.
    Suspended(Waiting),
    Diverged(Box<Divergence>),
    /// The server stops.
    Stopped,
    /// The journal cannot be written.
    Failed(String),
}

/// The end of one Run's cell, in anybody's hand.
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

#[derive(Default)]
pub(crate) struct Running {
    runs: Mutex<HashMap<RunId, Entry>>,
    /// Rung when a Run begins or is no longer carried out here.
    bell: Notify,
}

struct Entry {
    interrupt: Interrupt,
    /// There as soon as its cell is.
    host: Option<RunHost>,
}

/// Takes the Run off the list when it is dropped.
pub(crate) struct Registered<'a> {
    running: &'a Running,
    run: RunId,
}

impl Registered<'_> {
    /// From now on others can look on.
    pub(crate) fn show(&self, host: &RunHost) {
        if let Some(entry) = lock(&self.running.runs).get_mut(&self.run) {
            entry.host = Some(host.clone());
        }
        self.running.bell.notify_waiters();
    }
}

impl Running {
    pub(crate) fn register(&self, run: RunId, interrupt: Interrupt) -> Registered<'_> {
        lock(&self.runs).insert(run, Entry { interrupt, host: None });
        Registered { running: self, run }
    }

    /// Whether it runs here.
    pub(crate) fn interrupt(&self, run: RunId, why: Interruption) -> bool {
        match lock(&self.runs).get(&run) {
            Some(entry) => {
                entry.interrupt.set(why);
                true
            }
            None => false,
        }
    }

    pub(crate) fn has(&self, run: RunId) -> bool {
        lock(&self.runs).contains_key(&run)
    }

    /// Looks on while its code is executed here.
    pub(crate) fn look(&self, run: RunId) -> Option<Live> {
        let runs = lock(&self.runs);
        let host = runs.get(&run)?.host.as_ref()?;
        let is_over = host.0.collected_so_far().over;
        (!is_over).then(|| Live::of(host))
    }

    /// Rung when a Run begins or is no longer carried out here. Listen before you look.
    pub(crate) fn rung(&self) -> Notified<'_> {
        self.bell.notified()
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

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let entry = lock(&self.running.runs).remove(&self.run);
        // Whatever ended it, nobody looks on for ever.
        if let Some(host) = entry.and_then(|entry| entry.host) {
            host.0.close();
        }
        self.running.bell.notify_waiters();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
