//! Requests of Runs on their way from the proxy into the records: the proxy must not wait, so they pass through a queue.

use model::egress::EgressRequest;
use model::ids::RunId;
use sandbox::egress::{Decision, EgressLog, EgressRecord};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::app::error::Error;
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// Written in one transaction at most.
const AT_ONCE: usize = 200;

/// Where requests are told. Requests are small and a Run can make only so many at once, so the queue has no bound.
#[derive(Clone)]
pub(crate) struct Requests(UnboundedSender<Told>);

pub(crate) enum Told {
    Request(Box<EgressRecord>),
    /// Somebody waits until everything before is written.
    Flush(oneshot::Sender<()>),
}

impl Requests {
    pub(crate) fn new() -> (Requests, UnboundedReceiver<Told>) {
        let (sender, receiver) = unbounded_channel();
        (Requests(sender), receiver)
    }

    /// Returns when all that was told so far is written.
    pub(crate) async fn flush(&self) {
        let (written, waiting) = oneshot::channel();
        if self.0.send(Told::Flush(written)).is_ok() {
            // Nobody answers when nobody writes any more.
            waiting.await.ok();
        }
    }
}

impl EgressLog for Requests {
    fn record(&self, record: EgressRecord) {
        // Nobody hears it when the brain is closed.
        self.0.send(Told::Request(Box::new(record))).ok();
    }
}

/// Writes what is told, until nobody can tell any more.
pub(crate) async fn keep(ctx: Ctx, mut told: UnboundedReceiver<Told>) {
    let mut some = Vec::with_capacity(AT_ONCE);
    while told.recv_many(&mut some, AT_ONCE).await > 0 {
        let (mut records, mut waiting) = (Vec::new(), Vec::new());
        for one in some.drain(..) {
            match one {
                Told::Request(record) => records.push(*record),
                Told::Flush(written) => waiting.push(written),
            }
        }
        if let Err(error) = write(&ctx, records).await {
            tracing::warn!("cannot record what runs asked of the network: {error}");
        }
        for written in waiting {
            written.send(()).ok();
        }
    }
}

async fn write(ctx: &Ctx, records: Vec<EgressRecord>) -> Result<(), Error> {
    if records.is_empty() {
        return Ok(());
    }
    let redaction = ctx.redaction().await?;
    let request = |record: EgressRecord| Some((record.label.parse().ok()?, request(record, &redaction)));
    let requests: Vec<(RunId, EgressRequest)> = records.into_iter().filter_map(request).collect();
    Ok(ctx.store.record_egress(&requests).await?)
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
        path: redaction.cut_text(&record.path),
        rule,
        refused,
        status: record.status,
        bytes_up: record.bytes_up,
        bytes_down: record.bytes_down,
        duration_us: u64::try_from(record.duration.as_micros()).unwrap_or(u64::MAX),
        failure: record.failure.map(text),
    }
}
