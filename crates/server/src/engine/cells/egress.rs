//! Network requests of Runs on their way from the proxy into the records: the proxy must not wait, so they pass through a
//! bounded queue. Requests beyond the limit of a Run or of the queue are only counted.

use std::time::Duration;

use model::ids::RunId;
use model::run::egress::EgressRequest;
use sandbox::egress::{Decision, EgressLog, EgressRecord, LONGEST_PATH};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use super::egress_record::{Admitted, ExpectedRuns};
use crate::ctx::Ctx;
use crate::engine::node::database_retry::retry_while_unavailable;
use crate::error::Error;
use crate::secrets::redaction::Redaction;

/// Written in one transaction at most.
const AT_ONCE: usize = 200;
/// Requests that wait to be written. A path may have two thousand characters, so they take a few megabytes at most.
const WAITING: usize = 1_024;
/// How long numbers of requests that were left out are gathered before they are written.
const GATHERED: Duration = Duration::from_secs(1);

/// Where requests are reported.
#[derive(Clone)]
pub(crate) struct Requests {
    told: Sender<EgressMessage>,
    pub(crate) expected: ExpectedRuns,
}

pub(crate) enum EgressMessage {
    Request(RunId, Box<EgressRecord>),
    /// Some were left out, the first for a while.
    LeftOut,
    /// Someone waits until everything before is written.
    Flush(oneshot::Sender<()>),
}

impl Requests {
    pub(crate) fn new() -> (Requests, Receiver<EgressMessage>) {
        let (told, receiver) = channel(WAITING);
        (Requests { told, expected: ExpectedRuns::default() }, receiver)
    }

    /// Returns when everything reported so far is written.
    pub(crate) async fn flush(&self) {
        let (written, waiting) = oneshot::channel();
        if self.told.send(EgressMessage::Flush(written)).await.is_ok() {
            // Nobody answers when nobody writes any more.
            waiting.await.ok();
        }
    }

    fn count(&self, counted: Admitted) {
        if counted == (Admitted::LeftOut { first: true }) {
            // If there is no room for it, others are before it, and the numbers are written with them.
            self.told.try_send(EgressMessage::LeftOut).ok();
        }
    }
}

impl EgressLog for Requests {
    fn record(&self, record: EgressRecord) {
        let Ok(run) = record.label.parse() else { return };
        let is_refused = matches!(record.decision, Decision::Refused { .. });
        match self.expected.admit(run, is_refused) {
            Admitted::Recorded => match self.told.try_send(EgressMessage::Request(run, Box::new(record))) {
                Err(TrySendError::Full(_)) => self.count(self.expected.leave_out(run)),
                // Nothing receives it when the brain is closed.
                Ok(()) | Err(TrySendError::Closed(_)) => {}
            },
            counted => self.count(counted),
        }
    }
}

/// Writes reported requests until all senders are gone.
pub(crate) async fn keep(ctx: Ctx, expected: ExpectedRuns, mut told: Receiver<EgressMessage>) {
    let mut some = Vec::with_capacity(AT_ONCE);
    let mut gathering = None;
    loop {
        let received = async {
            match gathering {
                None => told.recv_many(&mut some, AT_ONCE).await,
                Some(until) => tokio::select! {
                    count = told.recv_many(&mut some, AT_ONCE) => count,
                    () = ctx.clock.wait_until(until) => usize::MAX,
                },
            }
        };
        let is_closed = received.await == 0;
        let (mut records, mut waiting) = (Vec::new(), Vec::new());
        for one in some.drain(..) {
            match one {
                EgressMessage::Request(run, record) => records.extend(recorded(&expected, run, *record)),
                EgressMessage::LeftOut => gathering = gathering.or(Some(ctx.clock.now() + GATHERED)),
                EgressMessage::Flush(written) => waiting.push(written),
            }
        }
        let is_time = gathering.is_some_and(|until| until <= ctx.clock.now());
        let left_out = if is_time || is_closed || !waiting.is_empty() {
            gathering = None;
            expected.take_left_out()
        } else {
            Vec::new()
        };
        if let Err(error) = retry_while_unavailable(&ctx, || write(&ctx, &records, &left_out)).await {
            tracing::warn!("cannot record the network requests of runs: {error}");
        }
        for written in waiting {
            written.send(()).ok();
        }
        if is_closed {
            return;
        }
    }
}

async fn write(
    ctx: &Ctx,
    requests: &[(RunId, EgressRequest)],
    left_out: &[(RunId, u64)],
) -> Result<(), Error> {
    if requests.is_empty() && left_out.is_empty() {
        return Ok(());
    }
    Ok(ctx.store.record_egress(requests, left_out).await?)
}

/// As it is recorded, and of which Run; nothing if that is not known any more.
fn recorded(expected: &ExpectedRuns, run: RunId, record: EgressRecord) -> Option<(RunId, EgressRequest)> {
    let redaction = expected.redaction(run)?;
    Some((run, request(record, &redaction)))
}

/// A path, a host or an error about them may contain a secret.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::SystemTime;

    use uuid::Uuid;

    use super::*;

    fn record(run: RunId) -> EgressRecord {
        EgressRecord {
            label: run.to_string(),
            time: SystemTime::UNIX_EPOCH,
            method: "GET".to_owned(),
            scheme: "https",
            host: "example.com".to_owned(),
            port: 443,
            path: "/".to_owned(),
            decision: Decision::Allowed { rule: "*".to_owned() },
            address: None,
            status: None,
            bytes_up: 0,
            bytes_down: 0,
            duration: Duration::ZERO,
            failure: None,
        }
    }

    /// Nobody writes here, as when the database is slow.
    #[tokio::test]
    async fn the_queue_is_bounded_and_what_it_has_no_room_for_is_counted() {
        let (requests, mut told) = Requests::new();
        let runs: Vec<RunId> = (0..10).map(|number| RunId(Uuid::from_u128(number))).collect();
        for run in &runs {
            requests.expected.expect(*run, Arc::default());
            for _ in 0..1_000 {
                requests.record(record(*run));
            }
        }
        let mut held = 0;
        while told.try_recv().is_ok() {
            held += 1;
        }
        assert_eq!(held, WAITING);
        let left_out: u64 = requests.expected.take_left_out().iter().map(|(_, count)| count).sum();
        assert_eq!(left_out, 10_000 - WAITING as u64, "none is lost from the count");
    }
}
