//! A gate in front of the database, where a simulation decides which call happens next and whether it succeeds.
//!
//! While calls wait here nothing else happens, so whoever lets one through at a time decides the order of everything: the
//! same decisions give the same order, whatever threads do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::Store;

/// What happens to a call that is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It happens, and its answer is heard at once.
    Pass,
    /// It happens, and its answer waits at the gate.
    HoldAnswer,
    /// It never happens, and the caller learns that the connection was lost.
    FailBefore,
    /// It happens, and the caller learns that the connection was lost.
    LoseAnswer,
}

/// A call, or its answer, that waits at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtGate {
    /// Counts in the order of arrival.
    pub number: u64,
    /// What [`Store::pass_through`] was told.
    pub server: usize,
    pub is_answer: bool,
    /// In SQLite's words.
    pub statements: Arc<[&'static str]>,
}

#[derive(Clone, Default)]
pub struct Gate(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    arrived: u64,
    waiting: BTreeMap<u64, (AtGate, oneshot::Sender<Passage>)>,
    under_way: usize,
}

impl Gate {
    /// All that waits, in the order of arrival.
    pub fn waiting(&self) -> Vec<AtGate> {
        self.lock().waiting.values().map(|(at_gate, _)| at_gate.clone()).collect()
    }

    /// Nothing happens if it waits no longer. An answer cannot fail any more: it is heard, or lost.
    pub fn let_through(&self, number: u64, passage: Passage) {
        let mut state = self.lock();
        let Some((at_gate, caller)) = state.waiting.remove(&number) else { return };
        if caller.send(passage).is_ok() && !at_gate.is_answer && passage != Passage::FailBefore {
            state.under_way += 1;
        }
    }

    /// Whether a call that was let through has not been answered yet.
    pub fn is_busy(&self) -> bool {
        self.lock().under_way > 0
    }

    async fn arrive(&self, server: usize, is_answer: bool, statements: Arc<[&'static str]>) -> Passage {
        let (caller, passage) = oneshot::channel();
        let number = {
            let mut state = self.lock();
            state.arrived += 1;
            let number = state.arrived;
            let at_gate = AtGate { number, server, is_answer, statements };
            state.waiting.insert(number, (at_gate, caller));
            number
        };
        let _leaving = Leaving { gate: self, number };
        // The sender is kept until it is used.
        passage.await.unwrap_or(Passage::Pass)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever stops waiting is no longer at the gate.
struct Leaving<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.gate.lock().waiting.remove(&self.number);
    }
}

/// The calls of one store go through a gate.
#[derive(Clone)]
pub(crate) struct Guarded {
    gate: Gate,
    server: usize,
}

impl Guarded {
    /// `None` if the call is not to happen.
    pub(crate) async fn call(self, statements: &[&'static str]) -> Option<UnderWay> {
        let statements: Arc<[&'static str]> = statements.into();
        let passage = self.gate.arrive(self.server, false, Arc::clone(&statements)).await;
        // Whoever is dropped counts as answered, so only a call that happens may be made.
        (passage != Passage::FailBefore).then(|| UnderWay {
            guarded: self,
            passage,
            statements,
            is_counted: true,
        })
    }
}

/// A call that was let through.
pub(crate) struct UnderWay {
    guarded: Guarded,
    passage: Passage,
    statements: Arc<[&'static str]>,
    is_counted: bool,
}

impl UnderWay {
    /// The call has happened. Says whether its answer is heard.
    pub(crate) async fn answered(mut self) -> bool {
        self.end();
        let Guarded { gate, server } = &self.guarded;
        let passage = match self.passage {
            Passage::HoldAnswer => gate.arrive(*server, true, Arc::clone(&self.statements)).await,
            passage => passage,
        };
        matches!(passage, Passage::Pass | Passage::HoldAnswer)
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_counted) {
            self.guarded.gate.lock().under_way -= 1;
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.end();
    }
}

/// For tests only; all clones of the store are meant.
impl Store {
    /// From now on every call waits at the gate until it is let through.
    pub fn pass_through(&self, gate: &Gate, server: usize) {
        self.db.probe.guard(Guarded { gate: gate.clone(), server });
    }
}
