//! Steps: the journal of a Run.

use model::ids::RunId;
use model::step::Step;

use crate::db::{Batch, Durability, Row, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// Journals one Step. Its place must be free: two that claim one answer [`Error::Unique`].
    pub async fn record_step(&self, step: &Step) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into steps (run_id, position, verb, request, result, error, started_at, finished_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                step.run_id.0.into(),
                step.position.into(),
                step.verb.as_str().into(),
                Value::from(&step.request),
                step.result.as_ref().map_or(Value::Null, Value::from),
                step.error.as_ref().map(Value::json).transpose()?.unwrap_or(Value::Null),
                step.started_at.into(),
                step.finished_at.into(),
            ],
        );
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// In the order in which they were journaled.
    pub async fn steps(&self, run: RunId) -> Result<Vec<Step>, Error> {
        self.db
            .query(
                "select run_id, position, verb, request, result, error, started_at, finished_at
                 from steps where run_id = $1 order by position",
                [run.0.into()],
                step_from_row,
            )
            .await
    }
}

fn step_from_row(row: &Row) -> Result<Step, Error> {
    Ok(Step {
        run_id: RunId(row.uuid(0)?),
        position: row.small(1)?,
        verb: row.text(2)?,
        request: row.json(3)?,
        result: row.optional_json(4)?,
        error: row.optional_json(5)?,
        started_at: row.timestamp(6)?,
        finished_at: row.optional_timestamp(7)?,
    })
}
