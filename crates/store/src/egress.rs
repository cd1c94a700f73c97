//! Requests that Runs made of the network.

use model::egress::EgressRequest;
use model::ids::RunId;

use crate::db::{Batch, Durability, Value};
use crate::error::Error;
use crate::store::Store;

/// A Run that makes more requests than this is kept with the first of them.
const MOST: u32 = 1_000;

impl Store {
    /// Adds requests to the records of their Runs, in this order. What a Run has too many of, or whose Run is gone, is
    /// left out.
    pub async fn record_egress(&self, requests: &[(RunId, EgressRequest)]) -> Result<(), Error> {
        let mut batch = Batch::new();
        for (run, request) in requests {
            batch.push(
                "insert into egress (run_id, position, request)
                 select run_id, (select count(*) from egress as earlier where earlier.run_id = runs.run_id) + 1,
                    cast($2 as text)
                 from runs where run_id = $1
                    and (select count(*) from egress as earlier where earlier.run_id = runs.run_id) < $3",
                [run.0.into(), Value::json(request)?, MOST.into()],
            );
        }
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// In the order in which they were over.
    pub async fn egress(&self, run: RunId) -> Result<Vec<EgressRequest>, Error> {
        let sql = "select request from egress where run_id = $1 order by position";
        self.db.query(sql, [run.0.into()], |row| row.json(0)).await
    }
}
