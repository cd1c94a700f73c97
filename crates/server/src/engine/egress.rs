//! Requests of Runs on their way from the proxy into the records: the proxy must not wait, so they pass through a queue.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::egress::EgressRequest;
use model::ids::RunId;
use sandbox::egress::{Decision, EgressLog, EgressRecord, LONGEST_PATH};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::app::error::Error;
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// Written in one transaction at most.
const AT_ONCE: usize = 200;
/// Runs that are remembered. A request may be over some time after its Run is.
const REMEMBERED: usize = 10_000;

/// Where requests are told. Requests are small and a Run can make only so many at once, so the queue has no bound.
#[derive(Clone)]
pub(crate) struct Requests {
    told: UnboundedSender<Told>,
    pub(crate) expected: Expected,
}

/// Runs that may use the network.
#[derive(Clone, Default)]
pub(crate) struct Expected(Arc<Mutex<Runs>>);

/// The oldest is forgotten first.
#[derive(Default)]
struct Runs {
    /// With what is struck out of their requests.
    known: HashMap<RunId, Arc<Redaction>>,
    order: VecDeque<RunId>,
}

pub(crate) enum Told {
    Request(Box<EgressRecord>),
    /// Somebody waits until everything before is written.
    Flush(oneshot::Sender<()>),
}

impl Requests {
    pub(crate) fn new() -> (Requests, UnboundedReceiver<Told>) {
        let (told, receiver) = unbounded_channel();
        (Requests { told, expected: Expected::default() }, receiver)
    }

    /// Returns when all that was told so far is written.
    pub(crate) async fn flush(&self) {
        let (written, waiting) = oneshot::channel();
        if self.told.send(Told::Flush(written)).is_ok() {
            // Nobody answers when nobody writes any more.
            waiting.await.ok();
        }
    }
}

impl Expected {
    /// From now on requests of this Run are recorded, without the secrets that it was handed.
    pub(crate) fn expect(&self, run: RunId, redaction: Arc<Redaction>) {
        let mut runs = self.lock();
        runs.known.insert(run, redaction);
        runs.order.push_back(run);
        while runs.order.len() > REMEMBERED
            && let Some(oldest) = runs.order.pop_front()
        {
            runs.known.remove(&oldest);
        }
    }

    /// Requests of this Run are not recorded any more.
    pub(crate) fn forget(&self, run: RunId) {
        self.lock().known.remove(&run);
    }

    /// As it is recorded, and of which Run; nothing if that is not known.
    fn recorded(&self, record: EgressRecord) -> Option<(RunId, EgressRequest)> {
        let run = record.label.parse().ok()?;
        let redaction = self.lock().known.get(&run).cloned()?;
        Some((run, request(record, &redaction)))
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // Nothing that holds the lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EgressLog for Requests {
    fn record(&self, record: EgressRecord) {
        // Nobody hears it when the brain is closed.
        self.told.send(Told::Request(Box::new(record))).ok();
    }
}

/// Writes what is told, until nobody can tell any more.
pub(crate) async fn keep(ctx: Ctx, expected: Expected, mut told: UnboundedReceiver<Told>) {
    let mut some = Vec::with_capacity(AT_ONCE);
    while told.recv_many(&mut some, AT_ONCE).await > 0 {
        let (mut records, mut waiting) = (Vec::new(), Vec::new());
        for one in some.drain(..) {
            match one {
                Told::Request(record) => records.extend(expected.recorded(*record)),
                Told::Flush(written) => waiting.push(written),
            }
        }
        if let Err(error) = write(&ctx, &records).await {
            tracing::warn!("cannot record what runs asked of the network: {error}");
        }
        for written in waiting {
            written.send(()).ok();
        }
    }
}

async fn write(ctx: &Ctx, requests: &[(RunId, EgressRequest)]) -> Result<(), Error> {
    if requests.is_empty() {
        return Ok(());
    }
    Ok(ctx.store.record_egress(requests).await?)
}

/// A path, a host or what was told about them may hold a secret.
fn request(record: EgressRecord, redaction: &Redaction) -> EgressRequest {
    let text = |text: String| redaction.text(&text).into_owned();
    let (rule, refused) = match record.decision {
        Decision::Allowed { rule } => (rule, None),
        Decision::Refused { rule, why } => (rule.to_owned(), Some(text(why))),
    };
    EgressRequest {
        at: record.time.try_into().unwrap_or_default(),
        method: text(record.method),
        scheme: record.scheme.to_owned(),
        host: text(record.host),
        port: record.port,
        path: path(&record.path, redaction),
        rule,
        refused,
        status: record.status,
        bytes_up: record.bytes_up,
        bytes_down: record.bytes_down,
        duration_us: u64::try_from(record.duration.as_micros()).unwrap_or(u64::MAX),
        failure: record.failure.map(text),
    }
}

/// One that is as long as a path may be was cut there.
fn path(path: &str, redaction: &Redaction) -> String {
    if path.chars().count() < LONGEST_PATH {
        redaction.text(path).into_owned()
    } else {
        redaction.beginning(path)
    }
}
