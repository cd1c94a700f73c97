//! Insights: statistics of the recent Runs of a Function.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::ids::RunId;
use model::run::{Ending, RunError, RunState};

use super::id_times::{SLACK, first_id_at};
use crate::db::Row;
use crate::error::Error;
use crate::store::Store;

/// The newest so many Runs are looked at.
const SAMPLE: u32 = 10_000;

/// Of the newest Runs, at most ten thousand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Insights {
    pub runs: u64,
    pub succeeded: u64,
    pub failed: u64,
    pub cancelled: u64,
    /// Runs for which an environment had to be built or started.
    pub cold: u64,
    /// The most frequent first.
    pub endings: Vec<(Ending, u64)>,
    /// The most frequent first.
    pub errors: Vec<ErrorCount>,
    /// How long those that ended took, without waiting.
    pub durations: Option<Durations>,
    /// All of them together, in microseconds.
    pub total_us: u64,
    /// How long those that were queued waited for their start.
    pub queued: Option<Durations>,
    /// Whether there were more Runs than these figures cover.
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCount {
    pub type_name: String,
    /// If it was always the same.
    pub message: Option<String>,
    pub count: u64,
    /// The newest Run with it.
    pub newest: RunId,
}

/// In microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durations {
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
    pub max: u64,
}

impl Store {
    pub async fn insights(&self, name: &str, since: Timestamp) -> Result<Insights, Error> {
        let from = first_id_at(since.checked_sub(SLACK).unwrap_or(Timestamp::MIN));
        let sample = self
            .db
            .query(
                "select run_id, state, ending, wall_us, started_at, finished_at, cold, error, created_at, waited from runs
                 where name = $1 and run_id >= $2 and created_at >= $3 order by run_id desc limit $4",
                [name.into(), from.into(), since.into(), (SAMPLE + 1).into()],
                sampled_from_row,
            )
            .await?;
        Ok(summary(&sample))
    }
}

struct Sampled {
    run_id: RunId,
    state: RunState,
    ending: Option<Ending>,
    duration_us: Option<u64>,
    queued_us: Option<u64>,
    cold: bool,
    error: Option<RunError>,
}

fn sampled_from_row(row: &Row) -> Result<Sampled, Error> {
    // Imported Runs know only when they began and ended.
    let between = |from: Timestamp, to: Timestamp| u64::try_from(to.duration_since(from).as_micros()).ok();
    let started = row.optional_timestamp(4)?;
    let elapsed = started.zip(row.optional_timestamp(5)?).and_then(|(from, to)| between(from, to));
    let (created, waited) = (row.timestamp(8)?, row.bool(9)?);
    Ok(Sampled {
        run_id: RunId(row.uuid(0)?),
        state: row.word(1)?,
        ending: row.optional_word(2)?,
        duration_us: row.optional_unsigned(3)?.or(elapsed),
        queued_us: started.filter(|_| !waited).and_then(|started| between(created, started)),
        cold: row.optional_bool(6)?.unwrap_or_default(),
        error: row.optional_json(7)?,
    })
}

/// The sample is newest first.
fn summary(sample: &[Sampled]) -> Insights {
    let more = sample.len() > SAMPLE as usize;
    let sample = &sample[..sample.len().min(SAMPLE as usize)];
    let count = |state| sample.iter().filter(|run| run.state == state).count() as u64;
    let failures = sample.iter().filter(|run| run.state == RunState::Failed);
    Insights {
        runs: sample.len() as u64,
        succeeded: count(RunState::Succeeded),
        failed: count(RunState::Failed),
        cancelled: count(RunState::Cancelled),
        cold: sample.iter().filter(|run| run.cold).count() as u64,
        endings: endings(sample),
        errors: errors(failures.filter_map(|run| Some((run.run_id, run.error.as_ref()?)))),
        durations: durations(sample.iter().filter_map(|run| run.duration_us).collect()),
        total_us: sample.iter().filter_map(|run| run.duration_us).fold(0, u64::saturating_add),
        queued: durations(sample.iter().filter_map(|run| run.queued_us).collect()),
        more,
    }
}

fn endings(sample: &[Sampled]) -> Vec<(Ending, u64)> {
    let count = |ending| sample.iter().filter(|run| run.ending == Some(ending)).count() as u64;
    let mut endings: Vec<_> = Ending::ALL.map(|ending| (ending, count(ending))).into();
    endings.retain(|(_, count)| *count > 0);
    endings.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    endings
}

fn errors<'a>(errors: impl Iterator<Item = (RunId, &'a RunError)>) -> Vec<ErrorCount> {
    let mut counts: BTreeMap<&str, ErrorCount> = BTreeMap::new();
    for (run, error) in errors {
        let count = counts.entry(&error.type_name).or_insert_with(|| ErrorCount {
            type_name: error.type_name.clone(),
            message: Some(error.message.clone()),
            count: 0,
            newest: run,
        });
        count.count += 1;
        count.message = count.message.take().filter(|message| *message == error.message);
    }
    let mut counts: Vec<ErrorCount> = counts.into_values().collect();
    counts.sort_by_key(|error| std::cmp::Reverse(error.count));
    counts
}

fn durations(mut sample: Vec<u64>) -> Option<Durations> {
    sample.sort_unstable();
    let max = *sample.last()?;
    // The smallest value that so many percent are not above.
    let at = |percent: usize| sample[(sample.len() * percent).div_ceil(100).max(1) - 1];
    Some(Durations { p50: at(50), p95: at(95), p99: at(99), max })
}
