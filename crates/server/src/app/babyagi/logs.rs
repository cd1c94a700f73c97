//! The log of a BabyAGI brain as Runs and Calls. An execution without a caller is a Run; one with a caller is a Call of its
//! Run; one started by a trigger is a Run with a parent.
//!
//! That log contains keys in plain text. Every known key, in any form that appears in the log, and every argument of the
//! function that stores keys, is redacted on import.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use model::access::Access;
use model::access::secret::SHORTEST_SECRET_BYTES;
use model::entry::EntryKey;
use model::ids::RunId;
use model::name::EntryName;
use model::revision::Revision;
use model::run::call::Call;
use model::run::chain::Chain;
use model::run::{Ending, How, Run, RunError, RunState};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::babyagi::OldLog;

use super::history::timestamp;
use crate::ctx::Ctx;
use crate::error::Error;

/// How many records go into one transaction.
const PORTION: usize = 1_000;

pub(super) async fn record(
    ctx: &Ctx,
    access: &Access,
    logs: &[OldLog],
    secrets: &[(String, SecretBox<Vec<u8>>)],
    notes: &mut Vec<String>,
) -> Result<(usize, usize), Error> {
    let places = places(logs);
    let revision = ctx.store.revision().await?;
    let redaction = Redaction::of(secrets);
    let mut runs = Vec::new();
    let mut calls = Vec::new();
    let mut nameless = 0;
    for log in logs {
        match &places[&log.id] {
            Place::Run { id, parent } => match run(log, *id, *parent, access, revision, &redaction) {
                Some(run) => runs.push(run),
                None => nameless += 1,
            },
            Place::Call { run, position, parent } => {
                calls.push(call(log, *run, *position, *parent, &redaction));
            }
        }
    }
    if nameless > 0 {
        notes.push(format!("{nameless} log rows name no function and were left out"));
    }
    let known: std::collections::HashSet<RunId> = runs.iter().map(|run| run.run_id).collect();
    calls.retain(|call| known.contains(&call.run_id));
    for run in &mut runs {
        run.parent = run.parent.filter(|parent| known.contains(parent));
    }
    for portion in runs.chunks(PORTION) {
        ctx.store.record_runs(portion).await?;
    }
    for portion in calls.chunks(PORTION) {
        ctx.store.record_calls(portion).await?;
    }
    Ok((runs.len(), calls.len()))
}

enum Place {
    Run { id: RunId, parent: Option<RunId> },
    Call { run: RunId, position: u32, parent: Option<u32> },
}

/// Where each row belongs. Rows are in the order they were written, so a parent comes before its children.
fn places(logs: &[OldLog]) -> HashMap<i64, Place> {
    let mut places: HashMap<i64, Place> = HashMap::with_capacity(logs.len());
    let mut counts: HashMap<RunId, u32> = HashMap::new();
    for log in logs {
        let of = |id: Option<i64>| id.and_then(|id| places.get(&id));
        let run_of = |place: &Place| match place {
            Place::Run { id, .. } => *id,
            Place::Call { run, .. } => *run,
        };
        let place = match (of(log.triggered_by), of(log.parent)) {
            (Some(upstream), _) => Place::Run { id: run_id(log), parent: Some(run_of(upstream)) },
            (None, Some(caller)) => {
                let run = run_of(caller);
                let count = counts.entry(run).or_default();
                *count += 1;
                let parent = match caller {
                    Place::Run { .. } => None,
                    Place::Call { position, .. } => Some(*position),
                };
                Place::Call { run, position: *count, parent }
            }
            (None, None) => Place::Run { id: run_id(log), parent: None },
        };
        places.insert(log.id, place);
    }
    places
}

/// The same row gets the same id each time it is imported; ids sort by time like all others.
fn run_id(log: &OldLog) -> RunId {
    let digest = Sha256::digest(format!("babyagi log {} {} {}", log.id, log.function, log.at));
    let mut chance = [0; 10];
    chance.copy_from_slice(&digest[..10]);
    let millis = timestamp(&log.at).map_or(0, |at| u64::try_from(at.as_millisecond()).unwrap_or_default());
    RunId(uuid::Builder::from_unix_timestamp_millis(millis, &chance).into_uuid())
}

fn run(
    log: &OldLog,
    id: RunId,
    parent: Option<RunId>,
    access: &Access,
    revision: Revision,
    redaction: &Redaction,
) -> Option<Run> {
    let started = timestamp(&log.at).unwrap_or(Timestamp::UNIX_EPOCH);
    let (state, ending) = match log.kind.as_str() {
        "success" => (RunState::Succeeded, Ending::Returned),
        "error" => (RunState::Failed, Ending::Raised),
        // Left `started` by a crash, for ever.
        _ => (RunState::Failed, Ending::Lost),
    };
    Some(Run {
        run_id: id,
        key: EntryKey::function(EntryName::new(&log.function).ok()?),
        version_id: None,
        revision,
        state,
        ending: Some(ending),
        input: redaction.params(log),
        output: (state == RunState::Succeeded).then(|| redaction.output(log)),
        error: error(log, redaction),
        actor: access.actor.clone(),
        authority: Arc::clone(&access.authority),
        parent,
        created_at: started,
        started_at: Some(started),
        finished_at: log.seconds.and_then(|seconds| finished(started, seconds)),
        attempt: 1,
        how: How::default(),
        closure: None,
        event_seq: None,
        chain: Chain::default(),
        waiting: None,
        usage: None,
        cancelled: None,
        lease: None,
    })
}

fn call(log: &OldLog, run: RunId, position: u32, parent: Option<u32>, redaction: &Redaction) -> Call {
    Call {
        run_id: run,
        position,
        parent,
        function: log.function.clone(),
        version_id: None,
        input: redaction.params(log),
        output: (log.kind == "success").then(|| redaction.output(log)),
        error: error(log, redaction),
        started_at: timestamp(&log.at).unwrap_or(Timestamp::UNIX_EPOCH),
        duration_us: log.seconds.filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1e6) as u64),
    }
}

fn finished(started: Timestamp, seconds: f64) -> Option<Timestamp> {
    let micros = (seconds.max(0.0) * 1e6) as i64;
    Timestamp::from_microsecond(started.as_microsecond().checked_add(micros)?).ok()
}

fn error(log: &OldLog, redaction: &Redaction) -> Option<RunError> {
    (log.kind != "success").then(|| {
        RunError::of(if log.kind == "error" { "Exception" } else { "Lost" }, redaction.text(&log.message))
    })
}

struct Redaction {
    values: Vec<(String, String)>,
}

impl Redaction {
    fn of(secrets: &[(String, SecretBox<Vec<u8>>)]) -> Redaction {
        let mut values: Vec<(String, String)> = Vec::new();
        for (name, value) in secrets {
            let Ok(value) = std::str::from_utf8(value.expose_secret()) else { continue };
            if value.len() >= SHORTEST_SECRET_BYTES {
                // Within a text that is no JSON, such as one with `NaN` in it, it stands as Python escaped it.
                let escaped = escaped(value);
                let forms = [Some(value.to_owned()), (escaped != value).then_some(escaped)];
                values.extend(forms.into_iter().flatten().map(|form| (form, format!("[secret {name}]"))));
            }
        }
        // The longest first: one secret may be part of another.
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Redaction { values }
    }

    fn params(&self, log: &OldLog) -> Value {
        let mut params = self.value(&log.params);
        // A key may have been stored through the function that runs others; then its arguments are these.
        if params["function_name"] == "add_key_wrapper" {
            hide_field(&mut params, "args");
        }
        hide_field(&mut params, "key_value");
        if let Some(inner) = params.get_mut("kwargs") {
            hide_field(inner, "key_value");
        }
        params
    }

    fn output(&self, log: &OldLog) -> Value {
        if log.function == "get_all_secret_keys" {
            return Value::String("[secrets]".to_owned());
        }
        self.value(&log.output)
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(list) => list.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, item)| (self.text(key), self.value(item))).collect(),
            Value::Number(number) => {
                let digits = number.to_string();
                let text = self.text(&digits);
                if text == digits { value.clone() } else { Value::String(text) }
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (value, mark) in &self.values {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), mark);
            }
        }
        text
    }
}

fn hide_field(value: &mut Value, field: &str) {
    if let Some(hidden) = value.get_mut(field) {
        *hidden = Value::String("[secret]".to_owned());
    }
}

/// As Python's `json` writes a string, without the quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}
