//! Ticks: the times of a Schedule, each handled once, by whichever server is first.

use std::collections::HashMap;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::event::NewEvent;
use model::ids::{EntryId, RunId};
use model::run::Run;

use crate::db::{Batch, Row, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::push_runs;
use crate::store::Store;

/// What happened to one time of a Schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    pub entry_id: EntryId,
    pub at: Timestamp,
    /// The Run it started.
    pub run_id: Option<RunId>,
    /// Why it started none.
    pub skipped: Option<String>,
}

impl Store {
    /// Queues the Run of a tick and tells of it. False if that tick was handled before: then nothing was written.
    pub async fn tick(
        &self,
        schedule: EntryId,
        at: Timestamp,
        run: Option<&Run>,
        skipped: Option<&str>,
        event: Option<&NewEvent>,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        push_tick(&mut batch, schedule, at, run.map(|run| run.run_id), skipped);
        push_runs(&mut batch, run.map_or(&[], std::slice::from_ref))?;
        push_events(&mut batch, event.map_or(&[], std::slice::from_ref));
        self.write_guarded(batch).await
    }

    pub async fn last_tick(&self, schedule: EntryId) -> Result<Option<Tick>, Error> {
        self.db
            .optional(
                "select entry_id, at, run_id, skipped from ticks where entry_id = $1 order by at desc limit 1",
                [schedule.0.into()],
                tick_from_row,
            )
            .await
    }

    /// What happened to its times, the newest first; of those before a time if one is given.
    pub async fn ticks(
        &self,
        schedule: EntryId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<Tick>, Error> {
        self.db
            .query(
                "select entry_id, at, run_id, skipped from ticks where entry_id = $1 and at < $2
                 order by at desc limit $3",
                [schedule.0.into(), before.unwrap_or(Timestamp::MAX).into(), limit.into()],
                tick_from_row,
            )
            .await
    }

    /// How often these Schedules ticked. One that never did is left out.
    pub async fn tick_counts(&self, schedules: &[EntryId]) -> Result<HashMap<EntryId, Count>, Error> {
        let sql = Sql {
            sqlite: "select entry_id, count(*) filter (where skipped is null),
                    count(*) filter (where skipped is not null), max(at) filter (where skipped is null)
                from ticks where entry_id in (select unhex(replace(value, '-', '')) from json_each($1))
                group by entry_id",
            postgres: "select entry_id, count(*) filter (where skipped is null),
                    count(*) filter (where skipped is not null), max(at) filter (where skipped is null)
                from ticks where entry_id in
                    (select cast(wanted.id as uuid) from jsonb_array_elements_text($1::text::jsonb) as wanted (id))
                group by entry_id",
        };
        Ok(self.db.query(sql, [Value::json(&schedules)?], Count::from_row).await?.into_iter().collect())
    }

    /// How many of its Runs have not ended.
    pub async fn running_of_schedule(&self, schedule: EntryId) -> Result<u64, Error> {
        self.db
            .one(
                "select count(*) from runs where actor = $1 and actor >= 'schedule:' and actor < 'schedule;'
                    and state in ('queued', 'running', 'waiting')",
                [Actor::Schedule(schedule).to_string().into()],
                |row| row.unsigned(0),
            )
            .await
    }
}

/// The batch is undone if somebody handled this tick.
pub(super) fn push_tick(
    batch: &mut Batch,
    schedule: EntryId,
    at: Timestamp,
    run: Option<RunId>,
    skipped: Option<&str>,
) {
    batch.guard(
        "insert into ticks (entry_id, at, run_id, skipped) values ($1, $2, $3, $4)
         on conflict (entry_id, at) do nothing",
        [schedule.0.into(), at.into(), run.map(|run| run.0).into(), skipped.into()],
        "nobody dealt with this tick",
    );
}

/// How often a Trigger or a Schedule started something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub started: u64,
    /// How often it did not, though it was its turn.
    pub stopped: u64,
    /// When it last started something.
    pub last: Option<Timestamp>,
}

impl Count {
    pub(crate) fn from_row(row: &Row) -> Result<(EntryId, Count), Error> {
        let count =
            Count { started: row.unsigned(1)?, stopped: row.unsigned(2)?, last: row.optional_timestamp(3)? };
        Ok((EntryId(row.uuid(0)?), count))
    }
}

fn tick_from_row(row: &Row) -> Result<Tick, Error> {
    Ok(Tick {
        entry_id: EntryId(row.uuid(0)?),
        at: row.timestamp(1)?,
        run_id: row.optional_uuid(2)?.map(RunId),
        skipped: row.optional_text(3)?,
    })
}
