//! The queue: claiming Runs that are due, and requeueing Runs.

use std::cmp::Reverse;

use jiff::Timestamp;
use model::ids::{NodeId, RunId};
use model::run::step::failed_last;
use model::run::{Lease, Run, RunError};

use crate::changes::Topic;
use crate::db::{Batch, Durability, Sql};
use crate::error::Error;
use crate::runs::steps::push_removal;
use crate::runs::{optional_json, run_columns, run_from_row};
use crate::store::Store;

/// The priorities of what is queued without a limit. There are few; each is found by one look into the index, so
/// what is not due yet at one of them is not walked over on the way to the next.
macro_rules! levels {
    ($by:literal) => {
        concat!(
            "levels (level) as (
                select max(priority) from runs",
            $by,
            " where state = 'queued' and concurrency_key is null
                union all
                select (select max(priority) from runs",
            $by,
            " where state = 'queued' and concurrency_key is null and priority < levels.level)
                from levels where levels.level is not null
            )"
        )
    };
}

/// The concurrency keys of what is queued. Whatever else is queued with a key that is used up is not walked over.
macro_rules! keys {
    ($by:literal) => {
        concat!(
            "keys (key) as (
                select min(concurrency_key) from runs",
            $by,
            " where state = 'queued' and concurrency_key is not null
                union all
                select (select min(concurrency_key) from runs",
            $by,
            " where state = 'queued' and concurrency_key is not null and concurrency_key > keys.key)
                from keys where keys.key is not null
            )"
        )
    };
}

/// From here on the Run is this node's. The fence makes sure that nobody who held it before can end it.
macro_rules! claim {
    () => {
        "update runs set state = 'running', node_id = $1, fence = fence + 1, lease_until = $3,
            started_at = coalesce(started_at, $2)"
    };
}

/// The first of each priority, then the first of them all. SQLite is told which index to walk: it does not know that
/// the one by state holds as many.
const CLAIM: Sql = Sql {
    sqlite: concat!(
        "with recursive ",
        levels!(" indexed by runs_queue"),
        ", ",
        keys!(" indexed by runs_queue"),
        ", candidates (id, priority, due_at) as (
            select run_id, priority, due_at from levels cross join runs on run_id in (
                select queued.run_id from runs as queued indexed by runs_queue
                where queued.state = 'queued' and queued.concurrency_key is null and queued.priority = levels.level
                    and queued.due_at <= $2
                order by queued.due_at, queued.run_id limit $4)
            union all
            select run_id, priority, due_at from keys cross join runs on run_id in (
                select id from (
                    select id, most, row_number() over (order by priority desc, due_at, id) as place from (
                        select queued.run_id as id, queued.concurrency_limit as most, queued.priority, queued.due_at
                        from runs as queued indexed by runs_queue
                        where queued.state = 'queued' and queued.concurrency_key is not null
                            and queued.concurrency_key = keys.key and queued.due_at <= $2
                        order by queued.priority desc, queued.due_at, queued.run_id limit $4))
                where place + (select count(*) from runs as busy where busy.state = 'running'
                    and busy.concurrency_key is not null and busy.concurrency_key = keys.key) <= most)
        ) ",
        claim!(),
        " where run_id in (select id from candidates order by priority desc, due_at, id limit $4)
          returning ",
        run_columns!()
    ),
    // For a queue in which nothing has a limit: claimers pass each other.
    postgres: concat!(
        "with recursive ",
        levels!(""),
        ", candidates (id) as (
            select id from levels cross join lateral (
                select run_id as id, due_at from runs
                where state = 'queued' and concurrency_key is null and priority = levels.level and due_at <= $2
                order by due_at, run_id limit $4
                for update skip locked) as locked
            order by levels.level desc, due_at, id limit $4
        ) ",
        claim!(),
        " from candidates where run_id = candidates.id returning ",
        run_columns!()
    ),
};

/// With limits: under [`LOCK`], because who counts what runs must be the only one who adds to it.
const CLAIM_LIMITED: &str = concat!(
    "with recursive ",
    levels!(""),
    ", ",
    keys!(""),
    ", candidates (id) as (
        select id from (
            select id, levels.level as priority, due_at from levels cross join lateral (
                select run_id as id, due_at from runs
                where state = 'queued' and concurrency_key is null and priority = levels.level and due_at <= $2
                order by due_at, run_id limit $4
                for update skip locked) as locked
            union all
            select id, priority, due_at from keys cross join lateral (
                select id, priority, due_at, most, row_number() over (order by priority desc, due_at, id) as place
                from (
                    select run_id as id, priority, due_at, concurrency_limit as most from runs
                    where state = 'queued' and concurrency_key is not null and concurrency_key = keys.key
                        and due_at <= $2
                    order by priority desc, due_at, run_id limit $4
                    for update skip locked) as locked) as placed
            where place + (select count(*) from runs as busy where busy.state = 'running'
                and busy.concurrency_key is not null and busy.concurrency_key = keys.key) <= most
        ) as both_kinds
        order by priority desc, due_at, id limit $4
    ) ",
    claim!(),
    " from candidates where run_id = candidates.id returning ",
    run_columns!()
);

/// A row if anything is queued, due or not: whether any of it has a limit, which SQLite need not know.
const ANY: Sql = Sql {
    sqlite: "select false from runs indexed by runs_queue where state = 'queued' limit 1",
    postgres: "select exists (select 1 from runs where state = 'queued' and concurrency_key is not null)
        where exists (select 1 from runs where state = 'queued')",
};

/// One Run, whatever else is queued before it.
const CLAIM_ONE: &str = concat!(
    claim!(),
    " where run_id = $4 and state = 'queued' and due_at <= $2
        and (concurrency_key is null or concurrency_limit > (
            select count(*) from runs as busy
            where busy.state = 'running' and busy.concurrency_key is not null
                and busy.concurrency_key = runs.concurrency_key))
      returning ",
    run_columns!()
);

/// Chosen once: under which all who claim Runs with limits queue at the server ("queue" in ASCII).
const LOCK: i64 = 0x71_7565_7565;

impl Store {
    /// Takes up to `limit` Runs that are due, highest priority first, then the longest due. Of those with a concurrency
    /// key no more run at once than each of them allows. Nobody else gets them before `until`.
    pub async fn claim(
        &self,
        node: NodeId,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Run>, Error> {
        // Asked again and again, and to look is cheaper than to write nothing.
        let Some(is_limited) = self.db.optional(ANY, [], |row| row.bool(0)).await? else {
            return Ok(Vec::new());
        };
        let mut batch = Batch::new();
        let values = [node.0.into(), now.into(), until.into(), limit.into()];
        if self.db.is_sqlite() || !is_limited {
            batch.push(CLAIM, values);
        } else {
            // A statement of its own: the next one sees all that was claimed before the lock was had.
            batch.push("select cast(pg_advisory_xact_lock($1) as text)", [LOCK.into()]);
            batch.push(CLAIM_LIMITED, values);
        }
        let answers = self.db.write(batch, Durability::Power).await?;
        let rows = answers.last().map(Vec::as_slice).unwrap_or_default();
        let mut claimed = rows.iter().map(run_from_row).collect::<Result<Vec<_>, _>>()?;
        claimed.sort_by_key(|run| {
            (Reverse(run.how.priority), run.how.due_at.unwrap_or(run.created_at), run.run_id)
        });
        Ok(claimed)
    }

    /// Takes one Run, if it is queued, due, and its concurrency key has room.
    pub async fn claim_run(
        &self,
        run: RunId,
        node: NodeId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Run>, Error> {
        let mut batch = Batch::new();
        if !self.db.is_sqlite() {
            batch.push("select cast(pg_advisory_xact_lock($1) as text)", [LOCK.into()]);
        }
        batch.push(CLAIM_ONE, [node.0.into(), now.into(), until.into(), run.0.into()]);
        let answers = self.db.write(batch, Durability::Power).await?;
        answers.last().and_then(|rows| rows.first()).map(run_from_row).transpose()
    }

    /// Puts a claimed Run back, to be resumed, or with the error of a try that failed to be tried again; Steps that
    /// failed at the end of that try are asked for again. False if another claim holds it, or if its end was asked for:
    /// then it has to end instead.
    pub async fn requeue_run(
        &self,
        run: RunId,
        lease: Lease,
        due_at: Timestamp,
        attempt: u32,
        error: Option<&RunError>,
    ) -> Result<bool, Error> {
        // Only this claim writes into the journal, so nothing is added to it meanwhile.
        let anew = match error {
            Some(_) => failed_last(&self.steps(run).await?),
            None => Vec::new(),
        };
        let mut batch = Batch::new();
        batch.changes(Topic::Queue);
        batch.guard(
            "update runs set state = 'queued', due_at = $4, attempt = $5, error = $6, lease_until = null
             where run_id = $1 and node_id = $2 and fence = $3 and state = 'running' and cancelled_at is null",
            [
                run.0.into(),
                lease.node.0.into(),
                lease.fence.into(),
                due_at.into(),
                attempt.into(),
                optional_json(error)?,
            ],
            "this claim holds the run",
        );
        if !anew.is_empty() {
            push_removal(&mut batch, run, &anew);
        }
        self.write_guarded(batch).await
    }

    pub(crate) async fn write_guarded(&self, batch: Batch) -> Result<bool, Error> {
        match self.db.write(batch, Durability::Power).await {
            Ok(_) => Ok(true),
            Err(error) => error.absent(),
        }
    }
}
