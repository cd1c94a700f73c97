//! Calls: the trace inside a Run.

use model::call::Call;
use model::ids::{RunId, VersionId};

use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// One that is there stays as it is.
    pub async fn record_calls(&self, calls: &[Call]) -> Result<(), Error> {
        let mut batch = Batch::new();
        let rows = calls.iter().map(call_values).collect::<Result<_, _>>()?;
        batch.bulk(
            Sql {
                sqlite: "insert into calls (run_id, position, parent, function, version_id, input, output, error,
                    started_at, duration_us) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                    on conflict (run_id, position) do nothing",
                postgres: "insert into calls (run_id, position, parent, function, version_id, input, output, error,
                    started_at, duration_us)
                    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::uuid[], $6::text[],
                    $7::text[], $8::text[], $9::bigint[], $10::bigint[]) on conflict (run_id, position) do nothing",
            },
            rows,
        );
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// In the order in which they began.
    pub async fn calls(&self, run: RunId) -> Result<Vec<Call>, Error> {
        self.db
            .query(
                "select run_id, position, parent, function, version_id, input, output, error, started_at, duration_us
                 from calls where run_id = $1 order by position",
                [run.0.into()],
                call_from_row,
            )
            .await
    }
}

fn call_values(call: &Call) -> Result<Vec<Value>, Error> {
    Ok(vec![
        call.run_id.0.into(),
        call.position.into(),
        call.parent.into(),
        call.function.as_str().into(),
        call.version_id.map(|version| version.0).into(),
        Value::from(&call.input),
        call.output.as_ref().map_or(Value::Null, Value::from),
        call.error.as_ref().map(Value::json).transpose()?.unwrap_or(Value::Null),
        call.started_at.into(),
        call.duration_us.into(),
    ])
}

fn call_from_row(row: &Row) -> Result<Call, Error> {
    Ok(Call {
        run_id: RunId(row.uuid(0)?),
        position: row.small(1)?,
        parent: row.optional_small(2)?,
        function: row.text(3)?,
        version_id: row.optional_uuid(4)?.map(VersionId),
        input: row.json(5)?,
        output: row.optional_json(6)?,
        error: row.optional_json(7)?,
        started_at: row.timestamp(8)?,
        duration_us: row.optional_unsigned(9)?,
    })
}
