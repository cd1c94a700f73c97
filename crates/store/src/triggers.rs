//! Triggers at work: how far the Events are read, and what came of them.

use jiff::Timestamp;
use model::ids::{EntryId, RunId};
use model::run::Run;

use crate::db::{Batch, Row, Sql};
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
    /// Why it started none.
    pub stopped: Option<String>,
    pub at: Timestamp,
}

/// What came of the Events after `from_seq`, up to `to_seq`.
#[derive(Clone, Debug, Default)]
pub struct Firings {
    pub cursor: String,
    pub from_seq: u64,
    pub to_seq: u64,
    /// Queued; what they load is recorded already.
    pub runs: Vec<Run>,
    pub firings: Vec<Firing>,
}

impl Store {
    /// The last Event that was dealt with; 0 before the first.
    pub async fn cursor(&self, cursor: &str) -> Result<u64, Error> {
        let seq = self
            .db
            .optional("select seq from cursors where cursor = $1", [cursor.into()], |row| row.unsigned(0))
            .await?;
        Ok(seq.unwrap_or_default())
    }

    /// Queues the Runs and moves the cursor on, in one batch. False if somebody else moved it: then nothing was written.
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
        push_runs(&mut batch, &firings.runs)?;
        push_firings(&mut batch, &firings.firings);
        self.write_guarded(batch).await
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
