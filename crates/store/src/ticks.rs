//! Ticks: the times of a Schedule, each dealt with once, whoever comes first.

use jiff::Timestamp;
use model::actor::Actor;
use model::ids::{EntryId, RunId};
use model::run::Run;

use crate::db::{Batch, Row};
use crate::error::Error;
use crate::runs::push_runs;
use crate::store::Store;

/// What became of one time of a Schedule.
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
    /// Queues the Run of a tick. False if that tick was dealt with before: then nothing was written.
    pub async fn tick(
        &self,
        schedule: EntryId,
        at: Timestamp,
        run: Option<&Run>,
        skipped: Option<&str>,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(
            "insert into ticks (entry_id, at, run_id, skipped) values ($1, $2, $3, $4)
             on conflict (entry_id, at) do nothing",
            [schedule.0.into(), at.into(), run.map(|run| run.run_id.0).into(), skipped.into()],
            "nobody dealt with this tick",
        );
        push_runs(&mut batch, run.map_or(&[], std::slice::from_ref))?;
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

fn tick_from_row(row: &Row) -> Result<Tick, Error> {
    Ok(Tick {
        entry_id: EntryId(row.uuid(0)?),
        at: row.timestamp(1)?,
        run_id: row.optional_uuid(2)?.map(RunId),
        skipped: row.optional_text(3)?,
    })
}
