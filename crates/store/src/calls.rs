//! Calls: the trace inside a Run. Many are stored in one row, because a Run may make thousands of them and they are only
//! ever read together.

use jiff::Timestamp;
use model::call::Call;
use model::ids::{RunId, VersionId};
use model::run::RunError;
use serde::{Deserialize, Deserializer, Serialize};

use crate::db::{Batch, Durability, Row, Sql, Value};
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
                |row| calls_from_row(run, row),
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
    let stored: Vec<StoredCall<'_>> = calls.iter().map(StoredCall::of).collect();
    Ok(vec![run.0.into(), first.into(), Value::json(&stored)?])
}

fn calls_from_row(run_id: RunId, row: &Row) -> Result<Vec<Call>, Error> {
    let calls: Vec<ReadCall> = row.json(0)?;
    calls.into_iter().map(|call| call.into_call(run_id)).collect()
}

/// A Call as it is written: without its Run, and without what is absent.
#[derive(Serialize)]
struct StoredCall<'a> {
    position: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_id: Option<VersionId>,
    input: &'a serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RunError>,
    started_us: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_us: Option<u64>,
}

impl StoredCall<'_> {
    fn of(call: &Call) -> StoredCall<'_> {
        StoredCall {
            position: call.position,
            parent: call.parent,
            function: &call.function,
            version_id: call.version_id,
            input: &call.input,
            output: call.output.as_ref(),
            error: call.error.as_ref(),
            started_us: call.started_at.as_microsecond(),
            duration_us: call.duration_us,
        }
    }
}

#[derive(Deserialize)]
struct ReadCall {
    position: u32,
    parent: Option<u32>,
    function: String,
    version_id: Option<VersionId>,
    input: serde_json::Value,
    #[serde(default, deserialize_with = "present")]
    output: Option<serde_json::Value>,
    error: Option<RunError>,
    started_us: i64,
    duration_us: Option<u64>,
}

/// A `null` that is there is not the absence of a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Some)
}

impl ReadCall {
    fn into_call(self, run_id: RunId) -> Result<Call, Error> {
        let started_at = Timestamp::from_microsecond(self.started_us).map_err(|_| Error::Row {
            column: 0,
            expected: "calls that began at a time",
            found: format!("{} microseconds", self.started_us),
        })?;
        Ok(Call {
            run_id,
            position: self.position,
            parent: self.parent,
            function: self.function,
            version_id: self.version_id,
            input: self.input,
            output: self.output,
            error: self.error,
            started_at,
            duration_us: self.duration_us,
        })
    }
}
