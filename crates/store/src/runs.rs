//! Runs: their records.

use model::entry::EntryKey;
use model::ids::{RunId, VersionId};
use model::revision::Revision;
use model::run::{Ending, Run, RunState};
use uuid::Uuid;

use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Which Runs are listed, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    pub name: Option<String>,
    pub state: Option<RunState>,
    /// Those before this one.
    pub before: Option<RunId>,
}

impl Store {
    /// Records that are complete already, such as those of an imported brain. One that is there stays as it is.
    pub async fn record_runs(&self, runs: &[Run]) -> Result<(), Error> {
        let mut batch = Batch::new();
        let rows = runs.iter().map(run_values).collect::<Result<_, _>>()?;
        batch.bulk(
            Sql {
                sqlite: "insert into runs (run_id, kind, name, version_id, revision, state, ending, input, output,
                    error, actor, parent_run_id, created_at, started_at, finished_at)
                    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                    on conflict (run_id) do nothing",
                postgres: "insert into runs (run_id, kind, name, version_id, revision, state, ending, input, output,
                    error, actor, parent_run_id, created_at, started_at, finished_at)
                    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[],
                    $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::bigint[],
                    $14::bigint[], $15::bigint[]) on conflict (run_id) do nothing",
            },
            rows,
        );
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn run(&self, run: RunId) -> Result<Option<Run>, Error> {
        self.db
            .optional(
                "select run_id, kind, name, version_id, revision, state, ending, input, output, error, actor,
                    parent_run_id, created_at, started_at, finished_at
                 from runs where run_id = $1",
                [run.0.into()],
                run_from_row,
            )
            .await
    }

    pub async fn runs(&self, filter: &RunFilter, limit: u32) -> Result<Vec<Run>, Error> {
        self.db
            .query(
                "select run_id, kind, name, version_id, revision, state, ending, input, output, error, actor,
                    parent_run_id, created_at, started_at, finished_at
                 from runs
                 where (cast($1 as text) is null or name = $1) and (cast($2 as text) is null or state = $2)
                    and run_id < $3
                 order by run_id desc limit $4",
                [
                    filter.name.clone().into(),
                    filter.state.map(RunState::as_str).into(),
                    filter.before.map_or(Uuid::max(), |run| run.0).into(),
                    limit.into(),
                ],
                run_from_row,
            )
            .await
    }
}

fn run_values(run: &Run) -> Result<Vec<Value>, Error> {
    Ok(vec![
        run.run_id.0.into(),
        run.key.kind.as_str().into(),
        run.key.name.as_str().into(),
        run.version_id.map(|version| version.0).into(),
        run.revision.0.into(),
        run.state.as_str().into(),
        run.ending.map(Ending::as_str).into(),
        Value::from(&run.input),
        run.output.as_ref().map_or(Value::Null, Value::from),
        run.error.as_ref().map(Value::json).transpose()?.unwrap_or(Value::Null),
        run.actor.to_string().into(),
        run.parent.map(|parent| parent.0).into(),
        run.created_at.into(),
        run.started_at.into(),
        run.finished_at.into(),
    ])
}

fn run_from_row(row: &Row) -> Result<Run, Error> {
    Ok(Run {
        run_id: RunId(row.uuid(0)?),
        key: EntryKey::new(row.word(1)?, row.word(2)?),
        version_id: row.optional_uuid(3)?.map(VersionId),
        revision: Revision(row.unsigned(4)?),
        state: row.word(5)?,
        ending: row.optional_word(6)?,
        input: row.json(7)?,
        output: row.optional_json(8)?,
        error: row.optional_json(9)?,
        actor: row.word(10)?,
        parent: row.optional_uuid(11)?.map(RunId),
        created_at: row.timestamp(12)?,
        started_at: row.optional_timestamp(13)?,
        finished_at: row.optional_timestamp(14)?,
    })
}
