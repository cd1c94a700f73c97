//! Runs that this process carries out right now: how to end one, and who waits for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use model::run::Waiting;
use model::step::Divergence;
use sandbox::CancellationToken;

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
    runs: Mutex<HashMap<RunId, Interrupt>>,
}

/// Takes the Run off the list when it is dropped.
pub(crate) struct Registered<'a> {
    running: &'a Running,
    run: RunId,
}

impl Running {
    pub(crate) fn register(&self, run: RunId, interrupt: Interrupt) -> Registered<'_> {
        lock(&self.runs).insert(run, interrupt);
        Registered { running: self, run }
    }

    /// Whether it runs here.
    pub(crate) fn interrupt(&self, run: RunId, why: Interruption) -> bool {
        match lock(&self.runs).get(&run) {
            Some(interrupt) => {
                interrupt.set(why);
                true
            }
            None => false,
        }
    }

    pub(crate) fn has(&self, run: RunId) -> bool {
        lock(&self.runs).contains_key(&run)
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.runs).len()
    }

    pub(crate) fn interrupt_all(&self, why: &Interruption) {
        for interrupt in lock(&self.runs).values() {
            interrupt.set(why.clone());
        }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        lock(&self.running.runs).remove(&self.run);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
