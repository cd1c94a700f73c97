//! Leases: which node executes which Run, and until when no other may.

use jiff::Timestamp;
use model::ids::{NodeId, RunId};
use model::run::Run;

use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::runs::{run_columns, run_from_row};
use crate::store::Store;

/// A Run that a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub run_id: RunId,
    pub fence: u64,
    /// Whether its end was asked for.
    pub cancelled: bool,
}

/// `$2` are run ids.
macro_rules! extend {
    ($ids:literal) => {
        concat!(
            "update runs set lease_until = $3
             where state = 'running' and node_id = $1 and run_id in (",
            $ids,
            ") returning run_id, fence, cancelled_at is not null"
        )
    };
}

const EXTEND: Sql = Sql {
    sqlite: extend!("select unhex(replace(value, '-', '')) from json_each($2)"),
    postgres: extend!(
        "select cast(value as uuid) from jsonb_array_elements_text($2::text::jsonb) as ids (value)"
    ),
};

impl Store {
    /// Says that a node is there and keeps these of its Runs until then, and no others: whatever else is recorded as its own it
    /// does not execute. Answers those that it still holds.
    pub async fn extend_leases(
        &self,
        node: NodeId,
        runs: &[RunId],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Held>, Error> {
        let mut batch = Batch::new();
        batch.push("update nodes set seen_at = $2 where node_id = $1", [node.0.into(), now.into()]);
        if !runs.is_empty() {
            batch.push(EXTEND, [node.0.into(), Value::json(&runs)?, until.into()]);
        }
        // After a power failure no node is left whose lease would matter.
        let answers = self.db.write(batch, Durability::Process).await?;
        answers.iter().flatten().map(held_from_row).collect()
    }

    /// All Runs recorded as executing on a node.
    pub async fn held_by(&self, node: NodeId) -> Result<Vec<Held>, Error> {
        let sql = "select run_id, fence, cancelled_at is not null from runs
            where state = 'running' and node_id = $1 order by run_id";
        self.db.query(sql, [node.0.into()], held_from_row).await
    }

    /// Runs whose lease has run out, or whose node is one of those that are known to be gone.
    pub async fn lost_runs(&self, now: Timestamp, dead: &[NodeId]) -> Result<Vec<Run>, Error> {
        let sql = Sql {
            sqlite: concat!(
                "select ",
                run_columns!(),
                " from runs where state = 'running' and (lease_until < $1 or node_id in (
                    select unhex(replace(value, '-', '')) from json_each($2)))
                  order by run_id"
            ),
            postgres: concat!(
                "select ",
                run_columns!(),
                " from runs where state = 'running' and (lease_until < $1 or node_id in (
                    select cast(value as uuid) from jsonb_array_elements_text($2::text::jsonb) as dead (value)))
                  order by run_id"
            ),
        };
        self.db.query(sql, [now.into(), Value::json(&dead)?], run_from_row).await
    }
}

fn held_from_row(row: &Row) -> Result<Held, Error> {
    Ok(Held { run_id: RunId(row.uuid(0)?), fence: row.unsigned(1)?, cancelled: row.bool(2)? })
}
