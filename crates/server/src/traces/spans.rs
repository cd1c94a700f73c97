//! From the record of a Run to spans. They contain names, error types and times, but no inputs, outputs or messages.

use jiff::Timestamp;
use model::ids::RunId;
use model::run::call::Call;
use model::run::step::Step;
use model::run::{Run, RunState};
use sha2::{Digest, Sha256};

use super::context::TraceContext;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) trace: u128,
    pub(super) id: u64,
    pub(super) parent: Option<u64>,
    pub(super) name: String,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) attributes: Vec<(&'static str, String)>,
    /// The kind of what went wrong.
    pub(super) error: Option<String>,
}

/// The last half of its id, which is chance.
pub(super) fn of_run(run: RunId) -> u64 {
    run.0.as_u64_pair().1
}

pub(super) fn of_step(run: RunId, position: u32) -> u64 {
    made_of(run, b's', position)
}

fn of_call(run: RunId, position: u32) -> u64 {
    made_of(run, b'c', position)
}

/// The same whoever works it out, so nothing need be stored.
fn made_of(run: RunId, kind: u8, position: u32) -> u64 {
    let hash = Sha256::new()
        .chain_update(run.0.as_bytes())
        .chain_update([kind])
        .chain_update(position.to_be_bytes());
    hash.finalize().iter().take(8).fold(0, |id, byte| id << 8 | u64::from(*byte))
}

/// The Run first, under the span it belongs to, if it belongs to one.
pub(super) fn of_record(run: &Run, calls: &[Call], steps: &[Step], under: TraceContext) -> Vec<Span> {
    let started = run.started_at.unwrap_or(run.created_at);
    let ended = run.finished_at.unwrap_or(started);
    let root = of_run(run.run_id);
    let mut attributes = vec![
        ("selfmade.run.id", run.run_id.to_string()),
        ("selfmade.function.name", run.key.name.to_string()),
        ("selfmade.run.state", run.state.as_str().to_owned()),
        ("selfmade.actor", run.actor.to_string()),
        ("selfmade.run.attempt", run.attempt.to_string()),
    ];
    attributes.extend(run.ending.map(|ending| ("selfmade.run.ending", ending.as_str().to_owned())));
    attributes.extend(run.version_id.map(|id| ("selfmade.version.id", id.to_string())));
    let failed = run.state != RunState::Succeeded;
    let kind = run.error.as_ref().map_or(run.state.as_str(), |error| error.type_name.as_str());
    let whole = Span {
        trace: under.trace,
        id: root,
        parent: (under.span != 0).then_some(under.span),
        name: format!("run {}", run.key.name),
        start: started,
        end: ended,
        attributes,
        error: failed.then(|| kind.to_owned()),
    };
    let calls = calls.iter().map(|call| Span {
        trace: under.trace,
        id: of_call(run.run_id, call.position),
        parent: Some(call.parent.map_or(root, |parent| of_call(run.run_id, parent))),
        name: call.function.clone(),
        start: call.started_at,
        end: call.duration_us.map_or(ended, |us| call.started_at + std::time::Duration::from_micros(us)),
        attributes: vec![("selfmade.function.name", call.function.clone())],
        error: call.error.as_ref().map(|error| error.type_name.clone()),
    });
    let steps = steps.iter().map(|step| Span {
        trace: under.trace,
        id: of_step(run.run_id, step.position),
        parent: Some(root),
        name: format!("step {}", step.verb),
        start: step.started_at,
        end: step.finished_at.unwrap_or(ended),
        attributes: vec![
            ("selfmade.step.verb", step.verb.clone()),
            ("selfmade.step.lane", step.lane.to_string()),
        ],
        error: step.error.as_ref().map(|error| error.type_name.clone()),
    });
    [whole].into_iter().chain(calls).chain(steps).collect()
}
