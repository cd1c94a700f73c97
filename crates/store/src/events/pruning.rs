//! Pruning of Events, firings, ticks and the audit trail: oldest first, in batches.
//!
//! What is still needed is kept, however old: Events that a cursor has not passed, and the newest firing and tick of each
//! Trigger and Schedule, from which they continue. Events are removed only from the front, so those that are kept have no
//! gap.

use jiff::Timestamp;

use crate::db::{Batch, Durability};
use crate::error::Error;
use crate::runs::id_times::{SLACK, first_id_at};
use crate::store::Store;

impl Store {
    /// Removes Events from before a time, up to `limit` of them. Says how many; call it again until it is none.
    pub async fn prune_events(&self, before: Timestamp, limit: u32) -> Result<u64, Error> {
        // Without a cursor nobody has read any. `flushed` is a counter of the table and no place in the log.
        let oldest = self
            .db
            .query(
                "select seq, at from events
                 where seq <= (select min(seq) from cursors where cursor <> 'flushed') order by seq limit $1",
                [limit.into()],
                |row| Ok((row.unsigned(0)?, row.timestamp(1)?)),
            )
            .await?;
        let old = oldest.iter().take_while(|(_, at)| *at < before);
        let Some((last, _)) = old.last() else { return Ok(0) };
        let mut batch = Batch::new();
        batch.push("delete from events where seq <= $1 returning seq", [(*last).into()]);
        self.removed(batch).await
    }

    /// Removes firings from before a time, as [`prune_events`](Store::prune_events) does with Events.
    pub async fn prune_firings(&self, before: Timestamp, limit: u32) -> Result<u64, Error> {
        let mut batch = Batch::new();
        batch.push(
            "delete from firings where (entry_id, seq) in (
                select entry_id, seq from firings as old where at < $1
                    and exists (select 1 from firings as later where later.entry_id = old.entry_id and later.seq > old.seq)
                order by at limit $2)
             returning seq",
            [before.into(), limit.into()],
        );
        self.removed(batch).await
    }

    /// The same with ticks.
    pub async fn prune_ticks(&self, before: Timestamp, limit: u32) -> Result<u64, Error> {
        let mut batch = Batch::new();
        batch.push(
            "delete from ticks where (entry_id, at) in (
                select entry_id, at from ticks as old where at < $1
                    and exists (select 1 from ticks as later where later.entry_id = old.entry_id and later.at > old.at)
                order by at limit $2)
             returning at",
            [before.into(), limit.into()],
        );
        self.removed(batch).await
    }

    /// The same with the audit trail.
    pub async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, Error> {
        let mut batch = Batch::new();
        let cut = first_id_at(before.checked_add(SLACK).unwrap_or(Timestamp::MAX));
        batch.push(
            "delete from audit where audit_id in (
                select audit_id from audit where audit_id < $1 and at < $2 order by audit_id limit $3)
             returning audit_id",
            [cut.into(), before.into(), limit.into()],
        );
        self.removed(batch).await
    }

    async fn removed(&self, batch: Batch) -> Result<u64, Error> {
        let answers = self.db.write(batch, Durability::Process).await?;
        Ok(answers.iter().flatten().count() as u64)
    }
}
