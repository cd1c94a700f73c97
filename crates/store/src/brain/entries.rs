//! Entries: what is in the brain, listed in pages, now or as of a revision.

use std::collections::HashMap;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::ids::EntryId;
use model::revision::Revision;
use model::version::{ContentHash, VersionNumber};
use serde::{Deserialize, Serialize};

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct EntrySummary {
    #[serde(flatten)]
    pub key: EntryKey,
    /// The live Version.
    pub version: VersionNumber,
    pub description: String,
    pub content_hash: ContentHash,
    pub pack: Option<String>,
    pub written_by: Actor,
    pub written_at: Timestamp,
}

/// Which entries are listed, by name.
#[derive(Clone, Debug)]
pub struct EntryPage {
    pub kind: EntryKind,
    /// Those of these names.
    pub scope: Scope,
    /// Those of this Pack.
    pub pack: Option<String>,
    /// Those after this name.
    pub after: Option<String>,
    pub limit: u32,
}

macro_rules! select_summaries {
    ($live:literal) => {
        Sql { sqlite: select_summaries!(sqlite, $live), postgres: select_summaries!(postgres, $live) }
    };
    ($database:ident, $live:literal) => {
        concat!(
            "select entries.kind, entries.name, versions.number, contents.description, versions.content_hash,
                packs.name, versions.written_by, versions.written_at from entries ",
            $live,
            " join contents on contents.content_hash = versions.content_hash
             left join packs on packs.pack_id = entries.pack_id
             where entries.kind = $1 and entries.name > $2 and ",
            in_scope!($database, "entries.name", "$4"),
            " and (cast($5 as text) is null or packs.name = $5) order by entries.name limit $3"
        )
    };
}

macro_rules! live_names {
    ($select:literal, $end:literal) => {
        Sql { sqlite: live_names!(sqlite, $select, $end), postgres: live_names!(postgres, $select, $end) }
    };
    ($database:ident, $select:literal, $end:literal) => {
        concat!(
            "select ",
            $select,
            " from entries where kind = $1 and live_version_id is not null and ",
            in_scope!($database, "name", "$2"),
            $end
        )
    };
}

impl Store {
    pub async fn entries(&self, page: &EntryPage) -> Result<Vec<EntrySummary>, Error> {
        let sql = select_summaries!("join versions on versions.version_id = entries.live_version_id");
        self.db.query(sql, page.values()?, summary_from_row).await
    }

    pub async fn entries_as_of(
        &self,
        revision: Revision,
        page: &EntryPage,
    ) -> Result<Vec<EntrySummary>, Error> {
        let sql = select_summaries!(
            "join live_pointers on live_pointers.entry_id = entries.entry_id
                and live_pointers.revision = (select max(past.revision) from live_pointers as past
                    where past.entry_id = entries.entry_id and past.revision <= $6)
             join versions on versions.version_id = live_pointers.version_id"
        );
        let mut values = page.values()?;
        values.push(revision.0.into());
        self.db.query(sql, values, summary_from_row).await
    }

    /// What these entries are called, also of those that were deleted.
    pub async fn entry_keys(&self, entries: &[EntryId]) -> Result<HashMap<EntryId, EntryKey>, Error> {
        let sql = Sql {
            sqlite: "select entry_id, kind, name from json_each($1) as wanted
                cross join entries on entry_id = unhex(replace(wanted.value, '-', ''))",
            postgres:
                "select entry_id, kind, name from jsonb_array_elements_text($1::text::jsonb) as wanted (id)
                join entries on entry_id = cast(wanted.id as uuid)",
        };
        let key = |row: &Row| Ok((EntryId(row.uuid(0)?), EntryKey::new(row.word(1)?, row.word(2)?)));
        Ok(self.db.query(sql, [Value::json(&entries)?], key).await?.into_iter().collect())
    }

    /// The names of all that is live, in order.
    pub async fn entry_names(&self, kind: EntryKind, scope: &Scope) -> Result<Vec<String>, Error> {
        let values = [kind.as_str().into(), scope_value(scope)?];
        self.db.query(live_names!("name", " order by name"), values, |row| row.text(0)).await
    }

    /// How many are live.
    pub async fn entry_count(&self, kind: EntryKind, scope: &Scope) -> Result<u64, Error> {
        let values = [kind.as_str().into(), scope_value(scope)?];
        self.db.one(live_names!("count(*)", ""), values, |row| row.unsigned(0)).await
    }
}

impl EntryPage {
    fn values(&self) -> Result<Vec<Value>, Error> {
        let after = self.after.as_deref().unwrap_or_default();
        Ok(vec![
            self.kind.as_str().into(),
            after.into(),
            self.limit.into(),
            scope_value(&self.scope)?,
            self.pack.as_deref().into(),
        ])
    }
}

fn summary_from_row(row: &Row) -> Result<EntrySummary, Error> {
    Ok(EntrySummary {
        key: EntryKey::new(row.word(0)?, row.word(1)?),
        version: VersionNumber(row.small(2)?),
        description: row.text(3)?,
        content_hash: row.hash(4)?,
        pack: row.optional_text(5)?,
        written_by: row.word(6)?,
        written_at: row.timestamp(7)?,
    })
}
