//! How busy the store is, for monitoring.

use crate::db::Row;
use crate::error::Error;
use crate::store::Store;

/// What the store has done since it was opened, by this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Batches waiting to be written.
    pub waiting: u64,
    /// Batches that were handled.
    pub batches: u64,
    /// Transactions in which they were: fewer, where batches are committed together.
    pub commits: u64,
}

/// Runs that have not ended, each counted up to [`MOST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenRuns {
    pub queued: u64,
    pub running: u64,
    pub waiting: u64,
}

/// Counting is linear, and more than this many need not be counted exactly.
const MOST: u32 = 100_000;

impl Store {
    pub fn activity(&self) -> Activity {
        self.db.activity()
    }

    /// How many Runs there are that have not ended.
    pub async fn open_runs(&self) -> Result<OpenRuns, Error> {
        let sql = "select (select count(*) from (select 1 from runs where state = 'queued' limit $1) as queued_runs),
            (select count(*) from (select 1 from runs where state = 'running' limit $1) as running_runs),
            (select count(*) from (select 1 from runs where state = 'waiting' limit $1) as waiting_runs)";
        let mut found = self.db.query(sql, [MOST.into()], open_runs_from_row).await?;
        Ok(found.pop().unwrap_or_default())
    }
}

fn open_runs_from_row(row: &Row) -> Result<OpenRuns, Error> {
    Ok(OpenRuns { queued: row.unsigned(0)?, running: row.unsigned(1)?, waiting: row.unsigned(2)? })
}
