//! The journal of a Run of a Graph: its node executions, which are Steps, and what happened in which order.

use model::access::audit::AuditRecord;
use model::event::NewEvent;
use model::graph::scheduler::Happened;
use model::ids::RunId;
use model::run::Lease;
use model::run::bounds::GRAPH_ROW_BYTES;
use model::run::lane::Lane;
use model::run::step::Step;

use crate::access::audit::push_audit;
use crate::changes::Topic;
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::steps::{held, push_end, push_steps, step_columns, step_from_row};
use crate::runs::waiting::push_wake;
use crate::store::Store;

/// What is journaled at once. Several node executions may begin and end in one.
#[derive(Clone, Debug, Default)]
pub struct GraphTurn {
    /// Executions that begin, or that have begun and ended.
    pub new: Vec<Step>,
    /// Ends of those that were journaled as begun.
    pub ended: Vec<Step>,
    /// Numbered from the first that is not journaled yet.
    pub happened: Vec<GraphEntry>,
    /// The last command that is among them.
    pub heard: Option<u64>,
    /// What others hear of it.
    pub events: Vec<NewEvent>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphEntry {
    pub seq: u64,
    /// The Step it belongs to.
    pub position: Option<u32>,
    pub happened: Happened,
}

impl GraphTurn {
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.ended.is_empty() && self.happened.is_empty() && self.heard.is_none()
    }
}

impl Store {
    /// All of a turn, or nothing. If the Run is no longer held by this claim the answer is [`Error::GuardFailed`].
    pub async fn record_graph_turn(
        &self,
        run: RunId,
        lease: Lease,
        turn: &GraphTurn,
        durability: Durability,
    ) -> Result<(), Error> {
        let mut batch = held(run, lease);
        push_steps(&mut batch, &turn.new)?;
        for step in &turn.ended {
            push_end(&mut batch, step)?;
        }
        push_entries(&mut batch, run, &turn.happened)?;
        if let Some(last) = turn.heard {
            batch.push(
                "delete from graph_commands where run_id = $1 and number <= $2",
                [run.0.into(), last.into()],
            );
        }
        push_events(&mut batch, &turn.events);
        self.db.write(batch, durability).await.map(drop)
    }

    /// Tells a Run of a Graph something, and keeps who did. One that waits is queued to hear it. False if it has ended.
    pub async fn command_graph_run(
        &self,
        run: RunId,
        happened: &[Happened],
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(OPEN, [run.0.into()], "the run has not ended");
        for happened in happened {
            batch.push(
                "insert into graph_commands (run_id, number, happened)
                 select $1, coalesce(max(number), 0) + 1, $2 from graph_commands where run_id = $1",
                [run.0.into(), Value::json(happened)?],
            );
        }
        push_audit(&mut batch, audit);
        push_wake(&mut batch, run, audit.at);
        batch.changes_run(run);
        batch.changes(Topic::Queue);
        self.write_guarded(batch).await
    }

    /// What a Run was told and has not journaled, in order.
    pub async fn graph_commands(&self, run: RunId) -> Result<Vec<(u64, Happened)>, Error> {
        let sql = "select number, happened from graph_commands where run_id = $1 order by number";
        self.db.query(sql, [run.0.into()], |row| Ok((row.unsigned(0)?, row.json(1)?))).await
    }

    /// What happened after `seq`, in order, at most so many.
    pub async fn graph_journal(&self, run: RunId, seq: u64, limit: u32) -> Result<Vec<GraphEntry>, Error> {
        let sql = "select seq, position, happened from graph_journal
            where run_id = $1 and seq > $2 order by seq limit $3";
        self.db.query(sql, [run.0.into(), seq.into(), limit.into()], entry_from_row).await
    }

    /// What counts of the journal of a Run: what its node executions got and gave.
    pub async fn graph_journal_bytes(&self, run: RunId) -> Result<u64, Error> {
        let free = i64::try_from(GRAPH_ROW_BYTES).unwrap_or(i64::MAX);
        self.db.one(BYTES, [run.0.into(), free.into()], |row| row.unsigned(0)).await
    }

    /// What the node executions at these positions gave, in order.
    pub async fn graph_outputs(&self, run: RunId, positions: &[u32]) -> Result<Vec<GraphEntry>, Error> {
        self.db.query(OUTPUTS, [run.0.into(), Value::json(&positions)?], entry_from_row).await
    }

    /// At most so many of the first entries of each.
    pub async fn first_graph_outputs(
        &self,
        run: RunId,
        positions: &[u32],
        most: u32,
    ) -> Result<Vec<GraphEntry>, Error> {
        let Some(skipped) = most.checked_sub(1) else { return Ok(Vec::new()) };
        self.db
            .query(FIRST_OUTPUTS, [run.0.into(), Value::json(&positions)?, skipped.into()], entry_from_row)
            .await
    }

    /// The node executions at these positions, in order.
    pub async fn graph_steps_at(&self, run: RunId, positions: &[u32]) -> Result<Vec<Step>, Error> {
        self.db.query(STEPS_AT, [run.0.into(), Value::json(&positions)?], step_from_row).await
    }

    /// Where the journal of a Run goes on: the last position, and the executions that are not over, or that a person has answered.
    pub async fn open_graph_steps(&self, run: RunId) -> Result<(u32, Vec<Step>), Error> {
        let last = "select coalesce(max(position), 0) from steps where run_id = $1";
        let last = self.db.one(last, [run.0.into()], |row| row.small(0)).await?;
        let open = concat!(
            "select ",
            step_columns!(),
            " from steps where run_id = $1 and (finished_at is null or answered_by is not null) order by position"
        );
        Ok((last, self.db.query(open, [run.0.into()], step_from_row).await?))
    }

    /// Node executions after a position, in the order in which they began: of one lane, if that is stated.
    pub async fn graph_steps(
        &self,
        run: RunId,
        lane: Option<&Lane>,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Step>, Error> {
        match lane {
            None => self.db.query(STEPS, [run.0.into(), after.into(), limit.into()], step_from_row).await,
            Some(lane) => {
                let values = [run.0.into(), after.into(), limit.into(), lane.as_str().into()];
                self.db.query(STEPS_OF_LANE, values, step_from_row).await
            }
        }
    }
}

macro_rules! open {
    ($lock:literal) => {
        concat!(
            "select 1 from runs where run_id = $1 and state in ('queued', 'running', 'waiting') and cancelled_at is null",
            $lock
        )
    };
}
const OPEN: Sql = Sql { sqlite: open!(""), postgres: open!(" for update") };

macro_rules! bytes {
    ($greatest:literal, $bytes:literal, $sum:literal) => {
        concat!(
            "select ",
            $sum,
            "((select coalesce(sum(",
            $greatest,
            "(octet_length(request) - $2, 0)), 0) from steps where run_id = $1)
             + (select coalesce(sum(",
            $greatest,
            "(octet_length(happened) - $2, 0)), 0) from graph_journal where run_id = $1)",
            $bytes,
            ")"
        )
    };
}
const BYTES: Sql = Sql { sqlite: bytes!("max", "", ""), postgres: bytes!("greatest", " as bigint", "cast") };

/// SQLite would rather read all of the run, because that is in order.
macro_rules! outputs {
    ($positions:literal, $by:literal) => {
        concat!(
            "select seq, position, happened from graph_journal",
            $by,
            " where run_id = $1 and position in (",
            $positions,
            ") order by seq"
        )
    };
}
const OUTPUTS: Sql = Sql {
    sqlite: outputs!("select value from json_each($2)", " indexed by graph_journal_position"),
    postgres: outputs!("select value::bigint from jsonb_array_elements_text($2::text::jsonb)", ""),
};

/// Up to the entry that is the last of so many: the index has them in this order.
macro_rules! first_outputs {
    ($positions:literal, $by:literal) => {
        concat!(
            "select seq, position, happened
             from (select p.position as wanted, (select seq from graph_journal where run_id = $1 and position = p.position
                     order by seq limit 1 offset $3) as until from (",
            $positions,
            ") p) bounds
             cross join graph_journal",
            $by,
            " where run_id = $1 and position = wanted and seq <= coalesce(until, 9223372036854775807)
             order by seq"
        )
    };
}
const FIRST_OUTPUTS: Sql = Sql {
    sqlite: first_outputs!(
        "select value as position from json_each($2)",
        " indexed by graph_journal_position"
    ),
    postgres: first_outputs!(
        "select value::bigint as position from jsonb_array_elements_text($2::text::jsonb)",
        ""
    ),
};
macro_rules! steps_at {
    ($positions:literal) => {
        concat!(
            "select ",
            step_columns!(),
            " from steps where run_id = $1 and position in (",
            $positions,
            ") order by position"
        )
    };
}
const STEPS_AT: Sql = Sql {
    sqlite: steps_at!("select value from json_each($2)"),
    postgres: steps_at!("select value::bigint from jsonb_array_elements_text($2::text::jsonb)"),
};
const STEPS: &str = concat!(
    "select ",
    step_columns!(),
    " from steps where run_id = $1 and position > $2 order by position limit $3"
);
const STEPS_OF_LANE: &str = concat!(
    "select ",
    step_columns!(),
    // The index has no others.
    " from steps where run_id = $1 and position > $2 and lane = $4 and lane <> 'main' order by position limit $3"
);

/// Begins a Run with what another did before it failed: its journal, and its executions that succeeded.
pub(crate) fn push_resumed(batch: &mut Batch, run: RunId, failed: RunId) {
    let values = || [run.0.into(), failed.0.into()];
    batch.push(
        concat!(
            "insert into steps (",
            step_columns!(),
            ") select $1, position, verb, request, result, error, child_run_id, answered_by, started_at, finished_at, lane, number
             from steps where run_id = $2 and finished_at is not null and error is null"
        ),
        values(),
    );
    batch.push(
        "insert into graph_journal (run_id, seq, position, happened)
         select $1, seq, position, happened from graph_journal where run_id = $2",
        values(),
    );
    batch.push(
        "insert into graph_commands (run_id, number, happened) values ($1, 1, '{\"what\":\"resumed\"}')",
        [run.0.into()],
    );
}

fn push_entries(batch: &mut Batch, run: RunId, entries: &[GraphEntry]) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let row = |entry: &GraphEntry| -> Result<Vec<Value>, Error> {
        Ok(vec![run.0.into(), entry.seq.into(), entry.position.into(), Value::json(&entry.happened)?])
    };
    batch.bulk(
        Sql {
            sqlite: "insert into graph_journal (run_id, seq, position, happened) values ($1, $2, $3, $4)",
            postgres: "insert into graph_journal (run_id, seq, position, happened)
                select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[])",
        },
        entries.iter().map(row).collect::<Result<Vec<_>, _>>()?,
    );
    Ok(())
}

fn entry_from_row(row: &Row) -> Result<GraphEntry, Error> {
    Ok(GraphEntry { seq: row.unsigned(0)?, position: row.optional_small(1)?, happened: row.json(2)? })
}
