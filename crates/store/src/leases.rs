//! Leases: which node carries out which Run, and until when nobody else may.

use jiff::Timestamp;
use model::ids::{NodeId, RunId};
use model::run::Run;

use crate::db::{Batch, Durability, Sql, Value};
use crate::error::Error;
use crate::runs::{run_columns, run_from_row};
use crate::store::Store;

impl Store {
    /// Says that a node is there and keeps all its Runs until then. Answers those whose end was asked for.
    pub async fn extend_leases(
        &self,
        node: NodeId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<RunId>, Error> {
        let mut batch = Batch::new();
        batch.push("update nodes set seen_at = $2 where node_id = $1", [node.0.into(), now.into()]);
        batch.push(
            "update runs set lease_until = $2
             where state = 'running' and node_id = $1 and lease_until < $2",
            [node.0.into(), until.into()],
        );
        batch.push(
            "select run_id from runs where state = 'running' and node_id = $1 and cancelled_at is not null",
            [node.0.into()],
        );
        // After a loss of power no node is left whose lease would matter.
        let answers = self.db.write(batch, Durability::Process).await?;
        answers.iter().flatten().map(|row| row.uuid(0).map(RunId)).collect()
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
