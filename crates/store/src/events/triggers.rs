//! The trigger cursor (how far Events have been read) and firings.

use std::collections::HashMap;

use jiff::Timestamp;
use model::event::EventKind;
use model::ids::{EntryId, RunId};
use model::run::{Run, RunState};

use super::ticks::Count;
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::runs::push_runs;
use crate::store::Store;

/// More than any limit on how often a Trigger may fire.
const MOST: u32 = 10_000;

/// What a Trigger did about an Event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    pub entry_id: EntryId,
    /// The Event.
    pub seq: u64,
    /// The Run it started.
    pub run_id: Option<RunId>,
    /// Why it started none; beside a Run, why that one was taken back before it began.
    pub stopped: Option<String>,
    pub at: Timestamp,
}

/// A firing with what the Event was, unless that was pruned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiredOn {
    pub firing: Firing,
    pub kind: Option<EventKind>,
    pub source: Option<String>,
}

/// A Run that waits and is not wanted any more, because a later Event stands for the one it was started by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawnRun {
    pub entry_id: EntryId,
    pub seq: u64,
    pub run_id: RunId,
    pub why: String,
}

/// What resulted from the Events after `from_seq`, up to `to_seq`.
#[derive(Clone, Debug, Default)]
pub struct Firings {
    pub cursor: String,
    pub from_seq: u64,
    pub to_seq: u64,
    /// Queued; what they load is recorded already.
    pub runs: Vec<Run>,
    pub firings: Vec<Firing>,
    /// Of earlier firings.
    pub withdrawn: Vec<WithdrawnRun>,
    /// Others are told of these Events once, when it is stored that they are handled.
    pub is_reported: bool,
}

impl Firings {
    /// Nothing came of these Events, and nothing would if they were read again.
    pub fn is_nothing(&self) -> bool {
        self.runs.is_empty() && self.firings.is_empty() && self.withdrawn.is_empty() && !self.is_reported
    }

    /// What has to survive. If the Events are handled again, the same comes of them; only Runs that must not be executed
    /// again, and those that are left to others, have to be there then.
    pub fn durability(&self) -> Durability {
        let may_happen_again = |run: &Run| run.how.resumable && run.state == RunState::Running;
        if self.runs.iter().all(may_happen_again) { Durability::Process } else { Durability::Power }
    }
}

impl Store {
    /// The last Event that was handled; 0 before the first.
    pub async fn cursor(&self, cursor: &str) -> Result<u64, Error> {
        let seq = self
            .db
            .optional("select seq from cursors where cursor = $1", [cursor.into()], |row| row.unsigned(0))
            .await?;
        Ok(seq.unwrap_or_default())
    }

    /// Queues the Runs and moves the cursor on, in one batch. False if someone else moved it: then nothing was written.
    pub async fn fire(&self, firings: &Firings) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into cursors (cursor, seq) values ($1, 0) on conflict (cursor) do nothing",
            [firings.cursor.as_str().into()],
        );
        batch.guard(
            "update cursors set seq = $3 where cursor = $1 and seq = $2",
            [firings.cursor.as_str().into(), firings.from_seq.into(), firings.to_seq.into()],
            "the cursor is where it was",
        );
        for taken in &firings.withdrawn {
            push_withdrawn(&mut batch, taken);
        }
        push_runs(&mut batch, &firings.runs)?;
        push_firings(&mut batch, &firings.firings);
        match self.db.write(batch, firings.durability()).await {
            Ok(_) => Ok(true),
            Err(error) => error.absent(),
        }
    }

    /// What a Trigger did, the newest first; about Events before one if one is given.
    pub async fn firings_before(
        &self,
        trigger: EntryId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<FiredOn>, Error> {
        let from_row = |row: &Row| {
            Ok(FiredOn {
                firing: firing_from_row(row)?,
                kind: row.optional_word(5)?,
                source: row.optional_text(6)?,
            })
        };
        self.db
            .query(
                "select firings.entry_id, firings.seq, firings.run_id, firings.stopped, firings.at, events.kind,
                    events.source
                 from firings left join events on events.seq = firings.seq
                 where firings.entry_id = $1 and firings.seq < $2 order by firings.seq desc limit $3",
                [trigger.0.into(), before.unwrap_or(i64::MAX as u64).into(), limit.into()],
                from_row,
            )
            .await
    }

    /// How often these Triggers fired. One that never did is left out.
    pub async fn firing_counts(&self, triggers: &[EntryId]) -> Result<HashMap<EntryId, Count>, Error> {
        let sql = Sql {
            sqlite: "select entry_id, count(*) filter (where stopped is null),
                    count(*) filter (where stopped is not null), max(at) filter (where stopped is null)
                from firings where entry_id in (select unhex(replace(value, '-', '')) from json_each($1))
                group by entry_id",
            postgres: "select entry_id, count(*) filter (where stopped is null),
                    count(*) filter (where stopped is not null), max(at) filter (where stopped is null)
                from firings where entry_id in
                    (select cast(wanted.id as uuid) from jsonb_array_elements_text($1::text::jsonb) as wanted (id))
                group by entry_id",
        };
        Ok(self.db.query(sql, [Value::json(&triggers)?], Count::from_row).await?.into_iter().collect())
    }

    /// What a Trigger did since then, the newest first.
    pub async fn firings(&self, trigger: EntryId, since: Timestamp) -> Result<Vec<Firing>, Error> {
        self.db
            .query(
                "select entry_id, seq, run_id, stopped, at from firings where entry_id = $1 and at >= $2
                 order by at desc, seq desc limit $3",
                [trigger.0.into(), since.into(), MOST.into()],
                firing_from_row,
            )
            .await
    }

    pub async fn last_firing(&self, trigger: EntryId) -> Result<Option<Firing>, Error> {
        self.db
            .optional(
                "select entry_id, seq, run_id, stopped, at from firings where entry_id = $1
                 order by seq desc limit 1",
                [trigger.0.into()],
                firing_from_row,
            )
            .await
    }
}

/// The Run first: if it is claimed at this moment, the claim and the firing stand.
fn push_withdrawn(batch: &mut Batch, taken: &WithdrawnRun) {
    batch.changes_run(taken.run_id);
    batch.push(
        "delete from runs where run_id = $1 and state = 'queued' and started_at is null",
        [taken.run_id.0.into()],
    );
    batch.push(
        "update firings set stopped = $4 where entry_id = $1 and seq = $2 and run_id = $3
            and not exists (select 1 from runs where runs.run_id = $3)",
        [taken.entry_id.0.into(), taken.seq.into(), taken.run_id.0.into(), taken.why.as_str().into()],
    );
}

fn push_firings(batch: &mut Batch, firings: &[Firing]) {
    let row = |firing: &Firing| {
        vec![
            firing.entry_id.0.into(),
            firing.seq.into(),
            firing.run_id.map(|run| run.0).into(),
            firing.stopped.as_deref().into(),
            firing.at.into(),
        ]
    };
    batch.bulk(
        Sql {
            sqlite: "insert into firings (entry_id, seq, run_id, stopped, at) values ($1, $2, $3, $4, $5)",
            postgres: "insert into firings (entry_id, seq, run_id, stopped, at)
                select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[])",
        },
        firings.iter().map(row).collect(),
    );
}

fn firing_from_row(row: &Row) -> Result<Firing, Error> {
    Ok(Firing {
        entry_id: EntryId(row.uuid(0)?),
        seq: row.unsigned(1)?,
        run_id: row.optional_uuid(2)?.map(RunId),
        stopped: row.optional_text(3)?,
        at: row.timestamp(4)?,
    })
}
