//! Runs: their records, as rows.

pub(crate) mod activity;
pub(crate) mod call_chunk;
pub(crate) mod calls;
pub(crate) mod cancelling;
pub(crate) mod closures;
pub(crate) mod drafts;
pub(crate) mod durations;
pub(crate) mod egress;
pub(crate) mod ending;
pub(crate) mod graph_journal;
pub(crate) mod id_times;
pub(crate) mod ids;
pub(crate) mod insights;
pub(crate) mod leases;
pub(crate) mod lists;
pub(crate) mod output;
pub(crate) mod pruning;
pub(crate) mod queue;
pub(crate) mod starting;
pub(crate) mod steps;
pub(crate) mod trees;
pub(crate) mod waiting;

use std::sync::{Arc, LazyLock};

use model::access::Authority;
use model::entry::EntryKey;
use model::function::closure::ClosureHash;
use model::ids::{NodeId, RunId, VersionId};
use model::revision::Revision;
use model::run::chain::Chain;
use model::run::{Concurrency, Ending, How, Lease, Run, RunState, Usage, Waiting};

use crate::changes::Topic;
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// What [`run_from_row`] reads, in its order.
macro_rules! run_columns {
    () => {
        "run_id, kind, name, version_id, revision, state, ending, actor, parent_run_id, created_at, started_at,
         finished_at, attempt, waited, priority, due_at, idempotency_key, concurrency_key, concurrency_limit, resumable,
         closure_hash, event_seq, chain_root, wake_at, waiting, node_id, fence, lease_until, cancelled_by, cancelled_at,
         wall_us, cpu_us, peak_memory_bytes, cold, output_dropped_bytes, calls_dropped, how, chain, error, input, output,
         access"
    };
}
pub(crate) use run_columns;

/// One Run, with the values of [`run_values`].
macro_rules! insert_run {
    ($end:literal) => {
        concat!(
            "insert into runs (",
            $crate::runs::run_columns!(),
            ", bytes) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
             $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41,
             $42, $43)",
            $end
        )
    };
}
pub(crate) use insert_run;

/// What a row takes beside its texts.
pub(crate) const ROW_BYTES: usize = 300;

impl Store {
    /// Records that are complete already, such as those of an imported brain. One that is there stays as it is.
    pub async fn record_runs(&self, runs: &[Run]) -> Result<(), Error> {
        let mut batch = Batch::new();
        push_runs(&mut batch, runs)?;
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn run(&self, run: RunId) -> Result<Option<Run>, Error> {
        self.db
            .optional(
                concat!("select ", run_columns!(), " from runs where run_id = $1"),
                [run.0.into()],
                run_from_row,
            )
            .await
    }
}

/// One that is there stays as it is.
pub(crate) fn push_runs(batch: &mut Batch, runs: &[Run]) -> Result<(), Error> {
    if runs.iter().any(|run| run.state == RunState::Queued) {
        batch.changes(Topic::Queue);
    }
    batch.bulk(
        Sql {
            sqlite: insert_run!(" on conflict (run_id) do nothing"),
            postgres: concat!(
                "insert into runs (",
                run_columns!(),
                ", bytes) select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[],
                 $7::text[], $8::text[], $9::uuid[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                 $14::boolean[], $15::bigint[], $16::bigint[], $17::text[], $18::text[], $19::bigint[], $20::boolean[],
                 $21::bytea[], $22::bigint[], $23::uuid[], $24::bigint[], $25::text[], $26::uuid[], $27::bigint[],
                 $28::bigint[], $29::text[], $30::bigint[], $31::bigint[], $32::bigint[], $33::bigint[],
                 $34::boolean[], $35::bigint[], $36::bigint[], $37::text[], $38::text[], $39::text[], $40::text[],
                 $41::text[], $42::text[], $43::bigint[]) on conflict (run_id) do nothing"
            ),
        },
        runs.iter().map(run_values).collect::<Result<_, _>>()?,
    );
    Ok(())
}

/// The columns, and how much they hold.
pub(crate) fn run_values(run: &Run) -> Result<Vec<Value>, Error> {
    let how = &run.how;
    let usage = run.usage.as_ref();
    let cancelled = run.cancelled.as_ref();
    let concurrency = how.concurrency.as_ref();
    // What is queued always has a time, by which it is sorted.
    let due_at = how.due_at.or((run.state == RunState::Queued).then_some(run.created_at));
    let mut values = Vec::with_capacity(43);
    values.extend([
        run.run_id.0.into(),
        run.key.kind.as_str().into(),
        run.key.name.as_str().into(),
        run.version_id.map(|version| version.0).into(),
        run.revision.0.into(),
        run.state.as_str().into(),
        run.ending.map(Ending::as_str).into(),
        run.actor.to_string().into(),
        run.parent.map(|parent| parent.0).into(),
        run.created_at.into(),
        run.started_at.into(),
        run.finished_at.into(),
        run.attempt.into(),
        how.waited.into(),
        how.priority.into(),
        due_at.into(),
        how.idempotency_key.as_deref().into(),
        concurrency.map(|concurrency| concurrency.key.as_str()).into(),
        concurrency.map(|concurrency| concurrency.limit).into(),
        how.resumable.into(),
        run.closure.map(|hash| hash.0.to_vec()).into(),
        run.event_seq.into(),
        run.chain.root.map(|root| root.0).into(),
        run.waiting.as_ref().and_then(wakes_at).into(),
        optional_json(run.waiting.as_ref())?,
        run.lease.map(|lease| lease.node.0).into(),
        run.lease.map_or(0, |lease| lease.fence).into(),
        run.lease.map(|lease| lease.until).into(),
        cancelled.map(|(actor, _)| actor.to_string()).into(),
        cancelled.map(|(_, at)| *at).into(),
        usage.map(|usage| usage.wall_us).into(),
        usage.map(|usage| usage.cpu_us).into(),
        usage.map(|usage| usage.peak_memory_bytes).into(),
        usage.map(|usage| usage.cold).into(),
        usage.map(|usage| usage.output_dropped_bytes).into(),
        usage.map(|usage| usage.calls_dropped).into(),
        optional_json(rest_of(how).as_ref())?,
        optional_json((!run.chain.fired.is_empty()).then_some(&run.chain.fired))?,
        optional_json(run.error.as_ref())?,
        Value::from(&run.input),
        run.output.as_ref().map_or(Value::Null, Value::from),
        Value::json(&*run.authority)?,
    ]);
    values.push((ROW_BYTES + values.iter().map(Value::text_bytes).sum::<usize>()).into());
    Ok(values)
}

pub(crate) fn wakes_at(waiting: &Waiting) -> Option<jiff::Timestamp> {
    match waiting {
        Waiting::Time { until, .. } | Waiting::Runs { until } => Some(*until),
        Waiting::Person { until, .. } | Waiting::Breakpoints { until, .. } => *until,
        Waiting::Decision { .. } => None,
    }
}

pub(crate) fn optional_json(value: Option<&impl serde::Serialize>) -> Result<Value, Error> {
    value.map_or(Ok(Value::Null), Value::json)
}

/// What of it has no column.
fn rest_of(how: &How) -> Option<How> {
    let rest = How {
        timeout_ms: how.timeout_ms,
        retry: how.retry,
        depth: how.depth,
        is_node: how.is_node,
        record: how.record,
        budget: how.budget,
        is_bounded_above: how.is_bounded_above,
        graph: how.graph.clone(),
        draft: how.draft.clone(),
        ..How::default()
    };
    (rest != How::default()).then_some(rest)
}

pub(crate) fn run_from_row(row: &Row) -> Result<Run, Error> {
    Ok(Run {
        run_id: RunId(row.uuid(0)?),
        key: EntryKey::new(row.word(1)?, row.word(2)?),
        version_id: row.optional_uuid(3)?.map(VersionId),
        revision: Revision(row.unsigned(4)?),
        state: row.word(5)?,
        ending: row.optional_word(6)?,
        actor: row.word(7)?,
        authority: authority_from_row(row)?,
        parent: row.optional_uuid(8)?.map(RunId),
        created_at: row.timestamp(9)?,
        started_at: row.optional_timestamp(10)?,
        finished_at: row.optional_timestamp(11)?,
        attempt: row.small(12)?,
        how: how_from_row(row)?,
        closure: row.optional_hash(20)?.map(|hash| ClosureHash(hash.0)),
        event_seq: row.optional_unsigned(21)?,
        chain: Chain {
            root: row.optional_uuid(22)?.map(RunId),
            fired: row.optional_json(37)?.unwrap_or_default(),
        },
        waiting: row.optional_json(24)?,
        lease: lease_from_row(row)?,
        cancelled: row.optional_word(28)?.zip(row.optional_timestamp(29)?),
        usage: usage_from_row(row)?,
        error: row.optional_json(38)?,
        input: row.json(39)?,
        output: row.optional_json(40)?,
    })
}

/// What most Runs of a brain with one user have; it need not be parsed for each line of a list.
static OF_COMMAND_LINE: LazyLock<(String, Arc<Authority>)> = LazyLock::new(|| {
    let authority = Authority::of_command_line();
    (serde_json::to_string(&authority).unwrap_or_default(), Arc::new(authority))
});

/// Of a record from before authority was kept, nothing may be done by it.
fn authority_from_row(row: &Row) -> Result<Arc<Authority>, Error> {
    match row.optional_text(41)? {
        Some(text) if text == OF_COMMAND_LINE.0 => Ok(Arc::clone(&OF_COMMAND_LINE.1)),
        Some(_) => row.json(41).map(Arc::new),
        None => Ok(Arc::new(Authority::unknown(row.word(7)?))),
    }
}

fn how_from_row(row: &Row) -> Result<How, Error> {
    let created_at = row.timestamp(9)?;
    let limit = row.optional_small(18)?;
    Ok(How {
        waited: row.bool(13)?,
        priority: row.signed(14)?,
        due_at: row.optional_timestamp(15)?.filter(|due| *due != created_at),
        idempotency_key: row.optional_text(16)?,
        concurrency: row.optional_text(17)?.zip(limit).map(|(key, limit)| Concurrency { key, limit }),
        resumable: row.bool(19)?,
        ..row.optional_json(36)?.unwrap_or_default()
    })
}

fn lease_from_row(row: &Row) -> Result<Option<Lease>, Error> {
    let fence = row.unsigned(26)?;
    let held = row.optional_uuid(25)?.zip(row.optional_timestamp(27)?);
    Ok(held.map(|(node, until)| Lease { node: NodeId(node), fence, until }))
}

fn usage_from_row(row: &Row) -> Result<Option<Usage>, Error> {
    let Some(wall_us) = row.optional_unsigned(30)? else { return Ok(None) };
    Ok(Some(Usage {
        wall_us,
        cpu_us: row.unsigned(31)?,
        peak_memory_bytes: row.unsigned(32)?,
        cold: row.bool(33)?,
        output_dropped_bytes: row.unsigned(34)?,
        calls_dropped: row.unsigned(35)?,
    }))
}
