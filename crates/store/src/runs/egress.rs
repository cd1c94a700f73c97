//! Network requests of Runs: the first ones, and the number of the others.

use model::ids::RunId;
use model::run::egress::EgressRequest;

use crate::db::{Batch, Durability, Value};
use crate::error::Error;
use crate::store::Store;

/// A Run that makes more requests than this is kept with the first of them. Whoever records them does not even hand over more.
pub const MOST_REQUESTS: u32 = 1_000;

impl Store {
    /// Adds requests to the records of their Runs, in this order, and counts others. What a Run has too many of is left out, and
    /// what a Run made that is gone.
    pub async fn record_egress(
        &self,
        requests: &[(RunId, EgressRequest)],
        left_out: &[(RunId, u64)],
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        for (run, request) in requests {
            batch.push(
                "insert into egress (run_id, position, request)
                 select run_id, next, cast($2 as text) from (
                    select runs.run_id, 1 + coalesce(
                        (select max(position) from egress as earlier where earlier.run_id = runs.run_id), 0) as next
                    from runs where runs.run_id = $1) as place
                 where next <= $3",
                [run.0.into(), Value::json(request)?, MOST_REQUESTS.into()],
            );
        }
        for (run, count) in left_out {
            batch.push(
                "insert into egress_left_out (run_id, requests) select run_id, cast($2 as bigint) from runs where run_id = $1
                 on conflict (run_id) do update set requests = egress_left_out.requests + excluded.requests",
                [run.0.into(), (*count).into()],
            );
        }
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// In the order in which they were over.
    pub async fn egress(&self, run: RunId) -> Result<Vec<EgressRequest>, Error> {
        let sql = "select request from egress where run_id = $1 order by position";
        self.db.query(sql, [run.0.into()], |row| row.json(0)).await
    }

    /// How many requests were only counted.
    pub async fn egress_left_out(&self, run: RunId) -> Result<u64, Error> {
        let sql = "select requests from egress_left_out where run_id = $1";
        Ok(self.db.optional(sql, [run.0.into()], |row| row.unsigned(0)).await?.unwrap_or_default())
    }
}
