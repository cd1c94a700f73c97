//! Pruning: old records are removed in batches, with everything that belongs to them. Runs that have not ended are never
//! removed.

use jiff::Timestamp;
use model::ids::RunId;
use uuid::Uuid;

use super::id_times::{SLACK, first_id_at};
use crate::db::{Batch, Durability, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Which Runs go: those that ended before a time, and those beyond a size, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Prune {
    pub before: Option<Timestamp>,
    /// What all records may take together.
    pub max_bytes: Option<u64>,
    /// This many of the newest stay in any case.
    pub keep_newest: u32,
    /// How many go at once.
    pub limit: u32,
}

/// What went. Parents go after their children, so call it again until nothing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub runs: u64,
    pub bytes: u64,
}

/// Sizes are added up in portions, so that no read lasts long.
const SIZES_AT_ONCE: u32 = 10_000;

/// A parent stays as long as one of its children.
const OLDEST: Sql = Sql {
    sqlite: "select run_id, bytes from runs
        where run_id < $1 and +state in ('succeeded', 'failed', 'cancelled')
            and coalesce(finished_at, created_at) < $2
            and not exists (select 1 from runs as child where child.parent_run_id = runs.run_id)
        order by run_id limit $3",
    postgres: "select run_id, bytes from runs
        where run_id < $1 and state in ('succeeded', 'failed', 'cancelled')
            and coalesce(finished_at, created_at) < $2
            and not exists (select 1 from runs as child where child.parent_run_id = runs.run_id)
        order by run_id limit $3",
};

/// One of these for each table, those that refer to Runs first.
macro_rules! delete {
    ($table:literal) => {
        Sql {
            sqlite: concat!("delete from ", $table, " where run_id = $1"),
            postgres: concat!(
                "delete from ",
                $table,
                " using unnest($1::uuid[]) as gone (id) where run_id = gone.id"
            ),
        }
    };
}
const DELETE: [Sql; 11] = [
    delete!("budgets"),
    delete!("reservations"),
    delete!("run_drafts"),
    delete!("graph_commands"),
    delete!("graph_journal"),
    delete!("steps"),
    delete!("call_chunks"),
    delete!("run_output"),
    delete!("egress"),
    delete!("egress_left_out"),
    delete!("runs"),
];

impl Store {
    pub async fn prune_runs(&self, prune: &Prune) -> Result<Pruned, Error> {
        let Some(kept) = self.oldest_kept(prune.keep_newest).await? else { return Ok(Pruned::default()) };
        let mut gone = Vec::new();
        if let Some(before) = prune.before {
            let cut = first_id_at(before.checked_add(SLACK).unwrap_or(Timestamp::MAX)).min(kept);
            gone = self.oldest(cut, before, prune.limit).await?;
        }
        if let (Some(max_bytes), true) = (prune.max_bytes, gone.len() < prune.limit as usize)
            && let Some(cut) = self.beyond(max_bytes).await?
        {
            gone = self.oldest(cut.min(kept), Timestamp::MAX, prune.limit).await?;
        }
        self.delete(&gone).await
    }

    /// The oldest of the newest, or the id above all; nothing if there are fewer.
    async fn oldest_kept(&self, newest: u32) -> Result<Option<Uuid>, Error> {
        let Some(skipped) = newest.checked_sub(1) else { return Ok(Some(Uuid::max())) };
        let sql = "select run_id from runs order by run_id desc limit 1 offset $1";
        let found = self.db.query(sql, [skipped.into()], |row| row.uuid(0)).await?;
        Ok(found.into_iter().next())
    }

    /// The id below which everything is beyond a size.
    async fn beyond(&self, max_bytes: u64) -> Result<Option<Uuid>, Error> {
        let (mut below, mut total) = (Uuid::max(), 0_u64);
        loop {
            let sql = "select run_id, bytes from runs where run_id < $1 order by run_id desc limit $2";
            let sizes = self
                .db
                .query(sql, [below.into(), SIZES_AT_ONCE.into()], |row| Ok((row.uuid(0)?, row.unsigned(1)?)))
                .await?;
            for (id, bytes) in &sizes {
                total = total.saturating_add(*bytes);
                if total > max_bytes {
                    return Ok(Some(below));
                }
                below = *id;
            }
            if sizes.len() < SIZES_AT_ONCE as usize {
                return Ok(None);
            }
        }
    }

    async fn oldest(&self, cut: Uuid, before: Timestamp, limit: u32) -> Result<Vec<(RunId, u64)>, Error> {
        self.db
            .query(OLDEST, [cut.into(), before.into(), limit.into()], |row| {
                Ok((RunId(row.uuid(0)?), row.unsigned(1)?))
            })
            .await
    }

    async fn delete(&self, gone: &[(RunId, u64)]) -> Result<Pruned, Error> {
        if gone.is_empty() {
            return Ok(Pruned::default());
        }
        let ids: Vec<Vec<Value>> = gone.iter().map(|(run, _)| vec![run.0.into()]).collect();
        let mut batch = Batch::new();
        for sql in DELETE {
            batch.bulk(sql, ids.clone());
        }
        self.db.write(batch, Durability::Process).await?;
        Ok(Pruned { runs: gone.len() as u64, bytes: gone.iter().map(|(_, bytes)| bytes).sum() })
    }
}
