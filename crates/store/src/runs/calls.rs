//! Calls: the trace inside a Run. Many are stored in one row, because a Run may make thousands of them and they are always
//! read together.

use model::ids::RunId;
use model::run::call::Call;

use super::call_chunk;
use crate::db::{Batch, Durability, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Keeps a row at some hundred kilobytes.
const IN_ONE_ROW: usize = 1_000;

impl Store {
    /// Those of an imported brain, of any number of Runs. One that is there stays as it is.
    pub async fn record_calls(&self, calls: &[Call]) -> Result<(), Error> {
        let mut batch = Batch::new();
        // One row each: what is imported again may have grown by Calls in the meantime.
        let row = |call: &Call| chunk_values(call.run_id, std::slice::from_ref(call));
        push_chunks(&mut batch, calls.iter().map(row).collect::<Result<_, _>>()?);
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// In the order in which they began.
    pub async fn calls(&self, run: RunId) -> Result<Vec<Call>, Error> {
        let chunks = self
            .db
            .query(
                "select body from call_chunks where run_id = $1 order by first_position",
                [run.0.into()],
                |row| call_chunk::read(run, row.str(0)?).map_err(|source| Error::Json { column: 0, source }),
            )
            .await?;
        let mut calls: Vec<Call> = chunks.into_iter().flatten().collect();
        calls.sort_by_key(|call| call.position);
        Ok(calls)
    }
}

/// The Calls of one Run. Says how many bytes these are.
pub(crate) fn push_calls(batch: &mut Batch, run: RunId, calls: &[Call]) -> Result<usize, Error> {
    if calls.is_empty() {
        return Ok(0);
    }
    let rows = calls.chunks(IN_ONE_ROW).map(|calls| chunk_values(run, calls));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let bytes = rows.iter().flatten().map(Value::text_bytes).sum();
    push_chunks(batch, rows);
    Ok(bytes)
}

fn push_chunks(batch: &mut Batch, rows: Vec<Vec<Value>>) {
    batch.bulk(
        Sql {
            sqlite: "insert into call_chunks (run_id, first_position, body) values ($1, $2, $3)
                on conflict (run_id, first_position) do nothing",
            postgres: "insert into call_chunks (run_id, first_position, body)
                select * from unnest($1::uuid[], $2::bigint[], $3::text[])
                on conflict (run_id, first_position) do nothing",
        },
        rows,
    );
}

fn chunk_values(run: RunId, calls: &[Call]) -> Result<Vec<Value>, Error> {
    let first = calls.first().map_or(0, |call| call.position);
    Ok(vec![run.0.into(), first.into(), call_chunk::write(calls)?])
}
