//! Injects faults into calls to the database where a test asks for them, and records which statements were executed.
//!
//! A process that dies at any instant is tested by failing its first call to the database, then its second, and so on until
//! there are no more: once before the call happens, once after it happened but before its result arrives.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::gate::{Guarded, UnderWay};
use crate::{Error, Store};

/// Which call to the database fails, counted from 0 from when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call never happens.
    Before(u64),
    /// The call happens, its answer is lost.
    After(u64),
}

#[derive(Clone, Default)]
pub(crate) struct Probe {
    state: Arc<Mutex<State>>,
    calls: Arc<CallsUnderWay>,
}

/// Calls that have left for the database and are not answered.
#[derive(Default)]
struct CallsUnderWay {
    count: AtomicUsize,
    none_left: Notify,
}

/// One of them, until it is dropped.
struct CallUnderWay(Arc<CallsUnderWay>);

impl CallUnderWay {
    fn new(calls: &Arc<CallsUnderWay>) -> CallUnderWay {
        calls.count.fetch_add(1, Ordering::SeqCst);
        CallUnderWay(Arc::clone(calls))
    }
}

impl Drop for CallUnderWay {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.none_left.notify_waiters();
        }
    }
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    /// Whether every call after it fails, too, as those of a dead process do.
    lasting: bool,
    calls: u64,
    reached: bool,
    /// Whether there is no room for anything that is written.
    is_full: bool,
    statements: BTreeSet<&'static str>,
    gate: Option<Guarded>,
}

/// What happens to one call.
pub(crate) struct Intercepted {
    loses_its_answer: bool,
    /// If it was let through a gate.
    under_way: Option<UnderWay>,
    _call: CallUnderWay,
}

impl Probe {
    pub(crate) async fn intercept(
        &self,
        statements: impl FnOnce() -> Vec<&'static str>,
    ) -> Result<Intercepted, Error> {
        let statements = statements();
        let gate = self.lock().gate.clone();
        let under_way = match gate {
            Some(gate) => Some(gate.call(&statements).await.ok_or_else(lost)?),
            None => None,
        };
        let loses_its_answer = self.loses_answer(statements)?;
        Ok(Intercepted { loses_its_answer, under_way, _call: CallUnderWay::new(&self.calls) })
    }

    /// Of the call that leaves now; or it fails.
    fn loses_answer(&self, statements: Vec<&'static str>) -> Result<bool, Error> {
        let mut state = self.lock();
        state.statements.extend(statements);
        let call = state.calls;
        state.calls += 1;
        match state.fault {
            Some(Fault::Before(n) | Fault::After(n)) if state.lasting && call > n => Err(lost()),
            Some(Fault::Before(n)) if n == call => {
                state.reached = true;
                Err(lost())
            }
            Some(Fault::After(n)) if n == call => {
                state.reached = true;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Says whether there is room for what is about to be written.
    pub(crate) fn intercept_write(&self) -> Result<(), Error> {
        if self.lock().is_full { Err(Error::DiskFull { database: "the test".to_owned() }) } else { Ok(()) }
    }

    fn ask(&self, fault: Option<Fault>, lasting: bool) {
        let mut state = self.lock();
        let (statements, gate) = (std::mem::take(&mut state.statements), state.gate.take());
        *state = State { fault, lasting, statements, gate, ..State::default() };
    }

    pub(crate) fn guard(&self, gate: Guarded) {
        self.lock().gate = Some(gate);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Intercepted {
    pub(crate) async fn then<T>(self, answer: Result<T, Error>) -> Result<T, Error> {
        let is_heard = match self.under_way {
            Some(under_way) => under_way.answered().await,
            None => true,
        };
        if self.loses_its_answer || !is_heard { Err(lost()) } else { answer }
    }
}

/// What a server that went away looks like: nobody knows whether the last write happened.
fn lost() -> Error {
    Error::ConnectionLost { server: "the test".to_owned(), detail: "a fault was asked for".to_owned() }
}

/// For tests only; all clones of the store are meant.
impl Store {
    /// Lets one call fail, counted from now on; `None` lets none fail.
    pub fn fail_at(&self, fault: impl Into<Option<Fault>>) {
        self.db.probe.ask(fault.into(), false);
    }

    /// Lets one call fail and every call after it, as if the process had died there.
    pub fn die_at(&self, fault: Fault) {
        self.db.probe.ask(Some(fault), true);
    }

    /// Lets every write fail as on a full disk, until there is room again. Reads go on.
    pub fn fill_disk(&self, is_full: bool) {
        self.db.probe.lock().is_full = is_full;
    }

    /// Whether there were so many calls that the fault happened.
    pub fn fault_was_reached(&self) -> bool {
        self.db.probe.lock().reached
    }

    /// Returns when no call is under way. Time that a test lets pass only then is not eaten up by a slow database.
    pub async fn quiet(&self) {
        let calls = &self.db.probe.calls;
        loop {
            let mut none_left = std::pin::pin!(calls.none_left.notified());
            none_left.as_mut().enable();
            if calls.count.load(Ordering::SeqCst) == 0 {
                return;
            }
            none_left.await;
        }
    }

    /// All statements so far, in SQLite's words.
    pub fn statements(&self) -> Vec<&'static str> {
        self.db.probe.lock().statements.iter().copied().collect()
    }
}
