//! Traces: what a Run did, told to an OpenTelemetry collector after its end.
//!
//! A Run is a span, and so is each of its Calls and Steps; Runs that a Run started are in the same trace. Everything is read from the
//! record of the Run by a task of its own, so a Run does not get slower: at its end its id is put into a queue of bounded length, and
//! left out if that is full. `context` is the trace that a request came with, `spans` makes spans of a record, `otlp` writes them,
//! `export` sends them.

mod context;
mod export;
mod otlp;
mod spans;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model::ids::RunId;
use model::run::Run;
use tokio::sync::mpsc;

pub use self::context::TraceContext;
pub use self::export::{Endpoint, EndpointError, export};
use crate::metrics::Metrics;

/// Runs whose traces wait to be told; more are left out.
const WAITING: usize = 4_096;
/// Runs that came with a trace of someone else's, and are remembered until their end.
const REMEMBERED: usize = 10_000;

/// Where ended Runs are reported for export. Nothing is kept without a listener.
#[derive(Clone, Default)]
pub(crate) struct Traces(Arc<Shared>);

#[derive(Default)]
struct Shared {
    ended: OnceLock<mpsc::Sender<RunId>>,
    given: Mutex<KnownContexts>,
}

/// Traces that requests came with, the oldest forgotten first.
#[derive(Default)]
struct KnownContexts {
    contexts: HashMap<RunId, TraceContext>,
    order: VecDeque<RunId>,
}

impl Traces {
    /// Reports Runs that end from now on to this listener. The first listener is the only one.
    fn listen(&self) -> Option<mpsc::Receiver<RunId>> {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.0.ended.set(sender).is_ok().then_some(receiver)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.ended.get().is_some()
    }

    /// A Run that may have ended.
    pub(crate) fn end(&self, run: &Run, metrics: &Metrics) {
        let Some(ended) = self.0.ended.get().filter(|_| run.state.is_final()) else { return };
        if ended.try_send(run.run_id).is_err() {
            metrics.traces.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// This Run belongs to a trace that began elsewhere.
    pub(crate) fn belongs(&self, run: RunId, context: TraceContext) {
        if !self.is_on() {
            return;
        }
        let mut given = self.0.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.contexts.insert(run, context);
        given.order.push_back(run);
        if given.order.len() > REMEMBERED
            && let Some(oldest) = given.order.pop_front()
        {
            given.contexts.remove(&oldest);
        }
    }

    fn given(&self, run: RunId) -> Option<TraceContext> {
        let given = self.0.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.contexts.get(&run).copied()
    }
}
