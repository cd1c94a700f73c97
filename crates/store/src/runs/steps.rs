//! Steps: the journal of a Run.

use model::event::NewEvent;
use model::ids::RunId;
use model::run::Lease;
use model::run::step::Step;

use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::optional_json;
use crate::store::Store;

macro_rules! step_columns {
    () => {
        "run_id, position, verb, request, result, error, child_run_id, answered_by, started_at, finished_at, lane, number"
    };
}
pub(crate) use step_columns;

impl Store {
    /// Journals a Step that is finished. Its place must be free: two that claim one answer [`Error::Unique`]. If the Run
    /// is no longer held by this claim the answer is [`Error::GuardFailed`], here and below: whoever lost it must not
    /// write into the journal that another goes on with.
    pub async fn record_step(&self, step: &Step, lease: Lease) -> Result<(), Error> {
        self.record_step_with(step, lease, &[]).await
    }

    /// Journals a Step together with the Events it is.
    pub async fn record_step_with(
        &self,
        step: &Step,
        lease: Lease,
        events: &[NewEvent],
    ) -> Result<(), Error> {
        let mut batch = held(step.run_id, lease);
        push_step(&mut batch, step)?;
        push_events(&mut batch, events);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Journals that a Step has begun, before its effect. Its place must be free.
    pub async fn begin_step(&self, step: &Step, lease: Lease) -> Result<(), Error> {
        self.record_step(step, lease).await
    }

    /// Journals the end of a Step that has begun; [`Error::GuardFailed`] if it had ended, or never begun.
    pub async fn finish_step(&self, step: &Step, lease: Lease) -> Result<(), Error> {
        let mut batch = held(step.run_id, lease);
        push_end(&mut batch, step)?;
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn step(&self, run: RunId, position: u32) -> Result<Option<Step>, Error> {
        self.db
            .optional(
                concat!("select ", step_columns!(), " from steps where run_id = $1 and position = $2"),
                [run.0.into(), position.into()],
                step_from_row,
            )
            .await
    }

    /// In the order in which they are shown.
    pub async fn steps(&self, run: RunId) -> Result<Vec<Step>, Error> {
        self.db
            .query(
                concat!("select ", step_columns!(), " from steps where run_id = $1 order by position"),
                [run.0.into()],
                step_from_row,
            )
            .await
    }

    /// Those behind a position, in order.
    pub async fn steps_after(&self, run: RunId, position: u32) -> Result<Vec<Step>, Error> {
        self.db
            .query(
                concat!(
                    "select ",
                    step_columns!(),
                    " from steps where run_id = $1 and position > $2 order by position"
                ),
                [run.0.into(), position.into()],
                step_from_row,
            )
            .await
    }
}

/// Removes Steps by their positions.
pub(crate) fn push_removal(batch: &mut Batch, run: RunId, positions: &[u32]) {
    let rows = positions.iter().map(|position| vec![run.0.into(), (*position).into()]).collect();
    batch.bulk(
        Sql {
            sqlite: "delete from steps where run_id = $1 and position = $2",
            postgres: "delete from steps using unnest($1::uuid[], $2::bigint[]) as gone (run_id, position)
                where steps.run_id = gone.run_id and steps.position = gone.position",
        },
        rows,
    );
}

macro_rules! held {
    ($lock:literal) => {
        concat!(
            "select 1 from runs where run_id = $1 and node_id = $2 and fence = $3 and state = 'running'",
            $lock
        )
    };
}

/// PostgreSQL is told to let nobody claim the Run until the batch is over; SQLite has one writer.
const HELD: Sql = Sql { sqlite: held!(""), postgres: held!(" for share") };

/// A batch that is undone unless this claim holds the Run.
pub(crate) fn held(run: RunId, lease: Lease) -> Batch {
    let mut batch = Batch::new();
    batch.guard(HELD, [run.0.into(), lease.node.0.into(), lease.fence.into()], "this claim holds the run");
    batch
}

/// The end of a Step that has begun; the batch is undone if it had ended, or never begun.
pub(crate) fn push_end(batch: &mut Batch, step: &Step) -> Result<(), Error> {
    batch.guard(
        "update steps set result = $3, error = $4, child_run_id = $5, answered_by = $6, finished_at = $7
         where run_id = $1 and position = $2 and finished_at is null",
        [
            step.run_id.0.into(),
            step.position.into(),
            step.result.as_ref().map_or(Value::Null, Value::from),
            optional_json(step.error.as_ref())?,
            step.child.map(|child| child.0).into(),
            step.answered_by.as_ref().map(ToString::to_string).into(),
            step.finished_at.into(),
        ],
        "the step has begun and not ended",
    );
    Ok(())
}

pub(crate) fn push_step(batch: &mut Batch, step: &Step) -> Result<(), Error> {
    push_steps(batch, std::slice::from_ref(step))
}

pub(crate) fn push_steps(batch: &mut Batch, steps: &[Step]) -> Result<(), Error> {
    if steps.is_empty() {
        return Ok(());
    }
    let rows = steps.iter().map(step_values).collect::<Result<Vec<_>, _>>()?;
    batch.bulk(
        Sql {
            sqlite: concat!(
                "insert into steps (",
                step_columns!(),
                ") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
            ),
            postgres: concat!(
                "insert into steps (",
                step_columns!(),
                ") select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
                    $7::uuid[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[])"
            ),
        },
        rows,
    );
    Ok(())
}

fn step_values(step: &Step) -> Result<Vec<Value>, Error> {
    Ok(vec![
        step.run_id.0.into(),
        step.position.into(),
        step.verb.as_str().into(),
        Value::from(&step.request),
        step.result.as_ref().map_or(Value::Null, Value::from),
        optional_json(step.error.as_ref())?,
        step.child.map(|child| child.0).into(),
        step.answered_by.as_ref().map(ToString::to_string).into(),
        step.started_at.into(),
        step.finished_at.into(),
        step.lane.as_str().into(),
        step.number.into(),
    ])
}

pub(crate) fn step_from_row(row: &Row) -> Result<Step, Error> {
    Ok(Step {
        run_id: RunId(row.uuid(0)?),
        lane: row.word(10)?,
        number: row.small(11)?,
        position: row.small(1)?,
        verb: row.text(2)?,
        request: row.json(3)?,
        result: row.optional_json(4)?,
        error: row.optional_json(5)?,
        child: row.optional_uuid(6)?.map(RunId),
        answered_by: row.optional_word(7)?,
        started_at: row.timestamp(8)?,
        finished_at: row.optional_timestamp(9)?,
    })
}
