//! Runs and their Calls as rows of BabyAGI's log. A Run is a row under its id; a Call is a row under the id of its Run and
//! its position in it, such as `ID.7`.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use model::run::call::Call;
use model::run::{Run, RunError, RunState};
use serde_json::{Value, json};
use store::RunFilter;

use super::shapes::date;
use crate::app::runs;
use crate::ctx::Ctx;
use crate::error::Error;

/// So many Runs are looked at for one answer. A list without an end, as BabyAGI gives, would grow for ever.
pub const MOST_RUNS: u32 = 1_000;

/// Which rows.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    pub function: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub triggered_by: Option<String>,
    /// Those of Runs older than this one.
    pub before: Option<RunId>,
}

/// Rows, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    pub rows: Vec<Value>,
    /// Where the rows before these are, if there are more.
    pub next: Option<RunId>,
}

/// Rows of the newest Runs that fit, those of Calls included.
pub async fn logs(ctx: &Ctx, access: &Access, filter: &LogFilter) -> Result<Logs, Error> {
    access.may(Verb::ReadRuns)?;
    if let Some(name) = &filter.function {
        access.may_touch(Verb::ReadRuns, name)?;
    }
    let range = RunFilter {
        since: filter.since,
        until: filter.until,
        before: filter.before,
        scope: access.only().clone(),
        ..RunFilter::default()
    };
    let all = ctx.store.runs(&range, MOST_RUNS).await?;
    let mut next = all.last().filter(|_| all.len() >= MOST_RUNS as usize).map(|run| run.run_id);
    let mut found: BTreeMap<RunId, Run> = all.into_iter().map(|run| (run.run_id, run)).collect();
    if let Some(name) = &filter.function {
        // Those under the name itself reach further back than those that only called it.
        let named = RunFilter { name: Some(name.clone()), ..range };
        let named = ctx.store.runs(&named, MOST_RUNS).await?;
        next = named.last().filter(|_| named.len() >= MOST_RUNS as usize).map(|run| run.run_id);
        found.extend(named.into_iter().map(|run| (run.run_id, run)));
    }
    let runs: Vec<Run> = found.into_values().collect();
    let mut rows = rows(ctx, access, &runs).await?;
    rows.retain(|row| filter.fits(row));
    Ok(Logs { rows, next })
}

impl LogFilter {
    fn fits(&self, row: &Value) -> bool {
        let is = |field: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| row[field].as_str() == Some(wanted))
        };
        is("function_name", &self.function) && is("triggered_by_log_id", &self.triggered_by)
    }
}

/// Everything that belongs to the same piece of work as one row: the Run it began with, and all that led to.
pub async fn bundle(ctx: &Ctx, access: &Access, id: &str) -> Result<Vec<Value>, Error> {
    let not_found = || Error::RunNotFound { id: id.to_owned() };
    let run = id.split('.').next().unwrap_or(id).parse().map_err(|_| not_found())?;
    let mut first = runs::get(ctx, access, run).await.map_err(|error| match error {
        Error::RunNotFound { .. } => not_found(),
        error => error,
    })?;
    while let Some(above) = above(ctx, &first).await? {
        // What was pruned meanwhile leads nowhere.
        let above = ctx.store.run(above).await?.filter(|run| access.covers(run.key.name.as_str()));
        let Some(run) = above else { break };
        first = run;
    }
    let tree = ctx.store.run_tree(first.run_id, access.only()).await?;
    rows(ctx, access, &tree).await
}

async fn above(ctx: &Ctx, run: &Run) -> Result<Option<RunId>, Error> {
    match (run.parent, run.event_seq) {
        (Some(parent), _) => Ok(Some(parent)),
        (None, Some(seq)) => cause(ctx, seq).await,
        (None, None) => Ok(None),
    }
}

/// The Run whose end an Event tells of. Events are numbered without a gap.
async fn cause(ctx: &Ctx, seq: u64) -> Result<Option<RunId>, Error> {
    let event = ctx.store.events_after(seq.saturating_sub(1), 1).await?.pop();
    let event = event.filter(|event| event.seq == seq);
    Ok(event.and_then(|event| event.fact.data["run_id"].as_str()?.parse().ok()))
}

async fn rows(ctx: &Ctx, access: &Access, runs: &[Run]) -> Result<Vec<Value>, Error> {
    let mut causes: HashMap<u64, Option<RunId>> = HashMap::new();
    let mut rows = Vec::new();
    for run in runs {
        let cause = match run.event_seq {
            Some(seq) => match causes.get(&seq) {
                Some(known) => *known,
                None => *causes.entry(seq).or_insert(cause(ctx, seq).await?),
            },
            None => None,
        };
        rows.push(of_run(run, cause));
        let calls = ctx.store.calls(run.run_id).await?;
        rows.extend(calls.iter().filter(|call| access.covers(&call.function)).map(of_call));
    }
    Ok(rows)
}

fn of_run(run: &Run, cause: Option<RunId>) -> Value {
    let kind = match run.state {
        RunState::Succeeded => "success",
        RunState::Failed | RunState::Cancelled => "error",
        RunState::Queued | RunState::Running | RunState::Waiting => "started",
    };
    let message = match (run.state, &run.error) {
        (RunState::Cancelled, None) => "Execution failed. Error: it was cancelled".to_owned(),
        (_, error) => message(kind, error.as_ref()),
    };
    json!({
        "id": run.run_id,
        "function_name": run.key.name,
        "message": message,
        "timestamp": date(run.created_at),
        "params": run.input,
        "output": run.output,
        "time_spent": run.duration_us().map(seconds),
        "parent_log_id": run.parent.or(cause),
        "triggered_by_log_id": cause,
        "log_type": kind,
    })
}

fn of_call(call: &Call) -> Value {
    let kind = match (&call.error, call.duration_us) {
        (Some(_), _) => "error",
        (None, Some(_)) => "success",
        (None, None) => "started",
    };
    let id = |position: u32| format!("{}.{position}", call.run_id);
    json!({
        "id": id(call.position),
        "function_name": call.function,
        "message": message(kind, call.error.as_ref()),
        "timestamp": date(call.started_at),
        "params": call.input,
        "output": call.output,
        "time_spent": call.duration_us.map(seconds),
        "parent_log_id": call.parent.map_or_else(|| call.run_id.to_string(), id),
        "triggered_by_log_id": null,
        "log_type": kind,
    })
}

fn message(kind: &str, error: Option<&RunError>) -> String {
    match (kind, error) {
        ("success", _) => "Execution successful.".to_owned(),
        ("error", Some(error)) => format!("Execution failed. Error: {}", error.message),
        ("error", None) => "Execution failed.".to_owned(),
        _ => "Execution started.".to_owned(),
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
