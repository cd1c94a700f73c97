//! What is kept of every request: where to, what was decided, how much and how long. Never headers, bodies, queries or secrets.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::gate::Gate;
use super::message::head::Target;
use super::refusal::Refusal;

/// Longer paths are cut: the log must not grow at the cell's will.
pub const LONGEST_PATH: usize = 1024;

/// Whoever keeps the records. Called from the proxy's tasks: it must not block.
pub trait EgressLog: Send + Sync {
    fn record(&self, record: EgressRecord);

    /// The job with this label sent a placeholder to a stranger, and its policy says to end it.
    fn kill(&self, _label: &str, _why: &str) {}
}

/// One request, or one tunnel, told when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressRecord {
    /// The policy's label.
    pub label: String,
    pub time: SystemTime,
    pub method: String,
    /// `http`, `https` (TLS ended at the proxy) or `tunnel` (only host and port are known).
    pub scheme: &'static str,
    pub host: String,
    pub port: u16,
    /// Without the query, as the cell sent it.
    pub path: String,
    pub decision: Decision,
    /// What was connected to.
    pub address: Option<SocketAddr>,
    pub status: Option<u16>,
    /// Bytes of bodies, or of all that went through a tunnel.
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub duration: Duration,
    /// Why an allowed request went wrong.
    pub failure: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// By this entry of the policy's hosts.
    Allowed { rule: String },
    /// By this rule, such as `not-listed`, with the sentence the cell was told.
    Refused { rule: &'static str, why: String },
}

/// A record in the making, given to the log when the last holder drops it, however the request ended.
pub(super) struct Entry {
    log: Arc<dyn EgressLog>,
    gate: Arc<Gate>,
    begun: Instant,
    up: AtomicU64,
    down: AtomicU64,
    record: Mutex<EgressRecord>,
}

impl Entry {
    pub(super) fn begin(
        log: Arc<dyn EgressLog>,
        gate: Arc<Gate>,
        time: SystemTime,
        method: &str,
    ) -> Arc<Entry> {
        let refusal = Refusal::Cut;
        let record = EgressRecord {
            label: gate.label.clone(),
            time,
            method: method.chars().take(32).collect(),
            scheme: "http",
            host: String::new(),
            port: 0,
            path: String::new(),
            decision: Decision::Refused { rule: refusal.rule(), why: refusal.to_string() },
            address: None,
            status: None,
            bytes_up: 0,
            bytes_down: 0,
            duration: Duration::ZERO,
            failure: None,
        };
        let (up, down) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Entry { log, gate, begun: Instant::now(), up, down, record: Mutex::new(record) })
    }

    pub(super) fn asked(&self, target: &Target, scheme: &'static str, path: &str) {
        let mut record = self.record();
        record.scheme = scheme;
        record.host = target.host.to_string();
        record.port = target.port;
        record.path = path.chars().take(LONGEST_PATH).collect();
    }

    pub(super) fn allowed(&self, rule: &str) {
        self.record().decision = Decision::Allowed { rule: rule.to_owned() };
    }

    pub(super) fn connected(&self, address: SocketAddr) {
        self.record().address = Some(address);
    }

    pub(super) fn answered(&self, status: u16) {
        self.record().status = Some(status);
    }

    /// Notes a refusal, or the failure of what had been allowed.
    pub(super) fn stopped(&self, refusal: &Refusal) {
        let mut record = self.record();
        match refusal.is_failure() {
            true => record.failure = Some(refusal.to_string()),
            false => record.decision = Decision::Refused { rule: refusal.rule(), why: refusal.to_string() },
        }
    }

    pub(super) fn count(&self, way: Direction, bytes: u64) {
        let counter = if way == Direction::Up { &self.up } else { &self.down };
        counter.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The cell does not have the values, but whoever started it may, and what a server says of itself may be anything.
    fn without_secrets(&self, record: EgressRecord) -> EgressRecord {
        let redacted = |text: String| self.gate.seals.redacted(text);
        EgressRecord {
            method: redacted(record.method),
            host: redacted(record.host),
            path: redacted(record.path),
            decision: match record.decision {
                Decision::Refused { rule, why } => Decision::Refused { rule, why: redacted(why) },
                allowed => allowed,
            },
            failure: record.failure.map(redacted),
            ..record
        }
    }

    fn record(&self) -> MutexGuard<'_, EgressRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut record = self.record().clone();
        record.bytes_up = self.up.load(Ordering::Relaxed);
        record.bytes_down = self.down.load(Ordering::Relaxed);
        record.duration = self.begun.elapsed();
        self.log.record(self.without_secrets(record));
    }
}

/// Out of the cell, or into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}
