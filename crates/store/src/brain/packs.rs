//! Loaded Packs, and how much of each is live.

use model::access::scope::Scope;
use model::entry::EntryKey;
use model::ids::PackId;
use model::pack::Pack;

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Batch, Row, Sql};
use crate::error::Error;
use crate::store::Store;

macro_rules! packs {
    ($database:ident) => {
        concat!(
            "select pack_id, name, origin, prefix, loaded_at, live_entries from (
                select packs.pack_id, packs.name, origin, prefix, loaded_at,
                    (select count(*) from entries where entries.pack_id = packs.pack_id
                        and entries.live_version_id is not null and ",
            in_scope!($database, "entries.name", "$1"),
            ") as live_entries from packs) as counted
             where cast($1 as text) is null or live_entries > 0 order by name"
        )
    };
}

impl Store {
    /// Packs, by name, with how much of a scope they brought; of a part of the names, only those that brought some of it.
    pub async fn packs(&self, scope: &Scope) -> Result<Vec<Pack>, Error> {
        let sql = Sql { sqlite: packs!(sqlite), postgres: packs!(postgres) };
        self.db.query(sql, [scope_value(scope)?], pack_from_row).await
    }

    pub async fn pack(&self, name: &str) -> Result<Option<Pack>, Error> {
        self.db
            .optional(
                "select packs.pack_id, packs.name, origin, prefix, loaded_at,
                    (select count(*) from entries where entries.pack_id = packs.pack_id
                        and entries.live_version_id is not null)
                 from packs where packs.name = $1",
                [name.into()],
                pack_from_row,
            )
            .await
    }

    /// What is live of a Pack, by name.
    pub async fn pack_entries(&self, pack: PackId) -> Result<Vec<EntryKey>, Error> {
        self.db
            .query(
                "select kind, name from entries where pack_id = $1 and live_version_id is not null order by kind, name",
                [pack.0.into()],
                |row| Ok(EntryKey::new(row.word(0)?, row.word(1)?)),
            )
            .await
    }
}

/// Loading a Pack again updates it in place.
pub(crate) fn push_pack(batch: &mut Batch, pack: &Pack) {
    batch.push(
        "insert into packs (pack_id, name, origin, prefix, loaded_at) values ($1, $2, $3, $4, $5)
         on conflict (name) do update
         set origin = excluded.origin, prefix = excluded.prefix, loaded_at = excluded.loaded_at",
        [
            pack.pack_id.0.into(),
            pack.name.as_str().into(),
            pack.origin.as_str().into(),
            pack.prefix.as_str().into(),
            pack.loaded_at.into(),
        ],
    );
}

fn pack_from_row(row: &Row) -> Result<Pack, Error> {
    Ok(Pack {
        pack_id: PackId(row.uuid(0)?),
        name: row.text(1)?,
        origin: row.text(2)?,
        prefix: row.text(3)?,
        loaded_at: row.timestamp(4)?,
        live_entries: row.unsigned(5)?,
    })
}
