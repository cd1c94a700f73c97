//! The end of a Run: everything known about it, in one batch, or nothing if another node holds the Run.

use jiff::Timestamp;
use model::event::NewEvent;
use model::ids::RunId;
use model::run::call::Call;
use model::run::output::OutputChunk;
use model::run::{Ending, Lease, RunError, RunState, Usage};

use super::calls::push_calls;
use super::output::push_output;
use super::waiting::push_wake;
use crate::budgets::reservations::push_settle_left;
use crate::changes::Topic;
use crate::db::{Batch, Durability, Value};
use crate::error::Error;
use crate::events::failures::{FailureCount, push_failure_count};
use crate::events::push_events;
use crate::runs::{ROW_BYTES, optional_json};
use crate::store::Store;

/// How a Run ended.
#[derive(Clone, Debug)]
pub struct Finished {
    pub run_id: RunId,
    /// The claim under which it was executed; its expiry does not matter.
    pub lease: Lease,
    pub state: RunState,
    pub ending: Option<Ending>,
    pub output: Option<serde_json::Value>,
    pub error: Option<RunError>,
    pub usage: Option<Usage>,
    pub finished_at: Timestamp,
    pub calls: Vec<Call>,
    pub output_chunks: Vec<OutputChunk>,
    pub events: Vec<NewEvent>,
    /// Its input, its Steps and its requests go, because it is not kept.
    pub forget: bool,
    /// Whether it has a concurrency key, for which others may wait.
    pub is_limited: bool,
    /// The Run that may wait for this one without a place.
    pub wakes: Option<RunId>,
    /// Whether anything may be in its journal. Most Runs ask for nothing, and need not look.
    pub may_be_journaled: bool,
    /// What it means for the Schedule that started it.
    pub failures: Option<FailureCount>,
}

/// That of the first execution of a Run.
const FIRST_FENCE: u64 = 1;

impl Store {
    /// False if another claim holds the Run or it has ended otherwise; then nothing was written. Whoever did not hear the answer
    /// may ask again. If another failure of its Schedule was counted meanwhile, the error says so.
    pub async fn finish_run(&self, finished: &Finished, durability: Durability) -> Result<bool, Error> {
        let (mut batch, mut added) = (Batch::new(), 0);
        let mut parts = Batch::new();
        added += push_calls(&mut parts, finished.run_id, &finished.calls)?;
        added += push_output(&mut parts, finished.run_id, &finished.output_chunks);
        push_end(&mut batch, finished, added)?;
        batch.append(parts);
        match finished.forget {
            true => push_forget(&mut batch, finished.run_id),
            false if finished.may_be_journaled => push_forget_callees(&mut batch, finished.run_id),
            false => {}
        }
        if let Some(count) = finished.failures {
            push_failure_count(&mut batch, count);
        }
        // Whoever asked for nothing reserved nothing; but an execution that was lost may have, before it could journal anything.
        if finished.may_be_journaled || finished.lease.fence > FIRST_FENCE {
            push_settle_left(&mut batch, finished.run_id);
        }
        push_events(&mut batch, &finished.events);
        batch.changes_run(finished.run_id);
        if let Some(waiting) = finished.wakes {
            push_wake(&mut batch, waiting, finished.finished_at);
        }
        if finished.is_limited {
            batch.changes(Topic::Queue);
        }
        match self.db.write(batch, durability).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_counted_meanwhile() => Err(error),
            Err(Error::GuardFailed { .. }) => self.has_ended_so(finished).await,
            Err(error) => Err(error),
        }
    }

    /// Whether it was this claim that ended the Run, and with this.
    async fn has_ended_so(&self, finished: &Finished) -> Result<bool, Error> {
        let Finished { run_id, lease, state, finished_at, .. } = finished;
        let sql = "select 1 from runs
            where run_id = $1 and node_id = $2 and fence = $3 and state = $4 and finished_at = $5";
        let values = [
            run_id.0.into(),
            lease.node.0.into(),
            lease.fence.into(),
            state.as_str().into(),
            (*finished_at).into(),
        ];
        Ok(self.db.optional(sql, values, |_| Ok(())).await?.is_some())
    }
}

/// Removes what was needed to execute a Run and is not to be kept.
pub(crate) fn push_forget(batch: &mut Batch, run: RunId) {
    batch.push(
        "update runs set input = 'null', waiting = null, wake_at = null, concurrency_key = null, concurrency_limit = null,
            bytes = $2
         where run_id = $1",
        [run.0.into(), ROW_BYTES.into()],
    );
    batch.push("delete from graph_journal where run_id = $1", [run.0.into()]);
    batch.push("delete from graph_commands where run_id = $1", [run.0.into()]);
    batch.push("delete from steps where run_id = $1", [run.0.into()]);
    // Whoever started it and has ended does not have to be executed again. Who has not forgets it at its end.
    batch.push(
        "update steps set request = 'null', result = null, error = null
         where child_run_id = $1 and run_id = (
            select starter.run_id from runs as child join runs as starter on starter.run_id = child.parent_run_id
            where child.run_id = $1 and starter.state in ('succeeded', 'failed', 'cancelled'))",
        [run.0.into()],
    );
    batch.push("delete from egress where run_id = $1", [run.0.into()]);
    batch.push("delete from egress_left_out where run_id = $1", [run.0.into()]);
}

/// Removes what was handed to Runs that are not kept, and what they answered, from the journal of the Run that started them. Until its
/// end it may have had to be executed again. Of a Run that is not kept the input is null; no other has such an input.
pub(crate) fn push_forget_callees(batch: &mut Batch, run: RunId) {
    batch.push(
        "delete from graph_journal where run_id = $1 and position in (
            select steps.position from steps join runs as child on child.run_id = steps.child_run_id
            where steps.run_id = $1 and child.input = 'null')",
        [run.0.into()],
    );
    batch.push(
        "update steps set request = 'null', result = null, error = null
         where run_id = $1 and child_run_id in
            (select child.run_id from runs as child where child.run_id = steps.child_run_id and child.input = 'null')",
        [run.0.into()],
    );
}

/// `journal` is added to what the record takes.
macro_rules! end {
    ($journal:literal) => {
        concat!(
            "update runs set state = $4, ending = $5, output = $6, error = $7, finished_at = $8, wall_us = $9, cpu_us = $10,
                peak_memory_bytes = $11, cold = $12, output_dropped_bytes = $13, calls_dropped = $14, lease_until = null,
                bytes = bytes + $15",
            $journal,
            " where run_id = $1 and node_id = $2 and fence = $3 and state = 'running'"
        )
    };
}

const JOURNALED_ENDS: &str = end!(
    " + (select coalesce(sum(octet_length(request) + coalesce(octet_length(result), 0)), 0)
            from steps where steps.run_id = $1)
        + (select coalesce(sum(octet_length(happened)), 0) from graph_journal where graph_journal.run_id = $1)"
);

fn push_end(batch: &mut Batch, finished: &Finished, added: usize) -> Result<(), Error> {
    let usage = finished.usage.as_ref();
    let output = finished.output.as_ref().map_or(Value::Null, Value::from);
    let error = optional_json(finished.error.as_ref())?;
    let added = added + output.text_bytes() + error.text_bytes();
    batch.guard(
        if finished.may_be_journaled { JOURNALED_ENDS } else { end!("") },
        [
            finished.run_id.0.into(),
            finished.lease.node.0.into(),
            finished.lease.fence.into(),
            finished.state.as_str().into(),
            finished.ending.map(Ending::as_str).into(),
            output,
            error,
            finished.finished_at.into(),
            usage.map(|usage| usage.wall_us).into(),
            usage.map(|usage| usage.cpu_us).into(),
            usage.map(|usage| usage.peak_memory_bytes).into(),
            usage.map(|usage| usage.cold).into(),
            usage.map(|usage| usage.output_dropped_bytes).into(),
            usage.map(|usage| usage.calls_dropped).into(),
            added.into(),
        ],
        "this claim holds the run",
    );
    Ok(())
}
