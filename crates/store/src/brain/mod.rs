//! The brain itself: its id, its revision, and facts written once.

pub(crate) mod application;
pub(crate) mod changesets;
pub(crate) mod entries;
pub(crate) mod graph_drafts;
pub(crate) mod graph_pins;
pub(crate) mod live;
pub(crate) mod packs;
pub(crate) mod presets;
pub(crate) mod references;
pub(crate) mod snapshot;
pub(crate) mod versions;

use model::ids::BrainId;
use model::revision::Revision;
use uuid::Uuid;

use crate::db::{Batch, Durability, Row};
use crate::error::Error;
use crate::store::Store;

/// What the start of a Run has to know of what others have changed since the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    pub revision: Revision,
    /// The last Event that told of a changed Secret; 0 if there was none.
    pub secrets_changed: u64,
}

impl Store {
    /// One look for both, because every start of a Run begins with it.
    pub async fn heads(&self) -> Result<Heads, Error> {
        let sql = "select value, (select coalesce(max(seq), 0) from events where kind = 'secret.changed')
            from counters where counter = 'revision'";
        let from_row =
            |row: &Row| Ok(Heads { revision: Revision(row.unsigned(0)?), secrets_changed: row.unsigned(1)? });
        self.db.one(sql, [], from_row).await
    }

    pub async fn revision(&self) -> Result<Revision, Error> {
        self.db
            .one("select value from counters where counter = 'revision'", [], |row| {
                row.unsigned(0).map(Revision)
            })
            .await
    }

    /// The id of this brain; `fresh` becomes it if it has none yet.
    pub async fn brain_id(&self, fresh: Uuid) -> Result<BrainId, Error> {
        let text = self.fact_or("brain_id", &fresh.to_string()).await?;
        let found = || Error::Row { column: 0, expected: "the brain's id, a UUID", found: text.clone() };
        text.parse().map(BrainId).map_err(|_| found())
    }

    /// When it answers, everything that was written before survives a power failure.
    pub async fn flush(&self) -> Result<(), Error> {
        let mut batch = Batch::new();
        // A commit that writes nothing flushes nothing.
        batch.push(
            "insert into cursors (cursor, seq) values ('flushed', 1)
             on conflict (cursor) do update set seq = cursors.seq + 1",
            [],
        );
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn fact(&self, fact: &str) -> Result<Option<String>, Error> {
        self.db.optional("select value from facts where fact = $1", [fact.into()], |row| row.text(0)).await
    }

    /// The value of a fact; `fresh` becomes it if it has none yet. Of concurrent callers the first writer wins.
    pub async fn fact_or(&self, fact: &str, fresh: &str) -> Result<String, Error> {
        if let Some(value) = self.fact(fact).await? {
            return Ok(value);
        }
        let mut batch = Batch::new();
        batch.push(
            "insert into facts (fact, value) values ($1, $2) on conflict (fact) do nothing",
            [fact.into(), fresh.into()],
        );
        self.db.write(batch, Durability::Power).await?;
        self.db.one("select value from facts where fact = $1", [fact.into()], |row| row.text(0)).await
    }
}
