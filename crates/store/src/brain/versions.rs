//! Versions: by number, live and as of a revision.

use model::access::scope::Scope;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::ids::{ChangesetId, EntryId, VersionId};
use model::name::EntryName;
use model::revision::Revision;
use model::version::{Version, VersionHead, VersionNumber};

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// What [`version_from_row`] reads, in its order.
macro_rules! version_columns {
    () => {
        "entries.kind, entries.name, entries.entry_id, versions.version_id, versions.number, versions.content_hash,
         versions.changeset_id, versions.written_by, versions.written_at, contents.body"
    };
}
pub(crate) use version_columns;

macro_rules! select_version {
    ($from:literal) => {
        concat!("select ", version_columns!(), " from ", $from)
    };
}

macro_rules! live_versions {
    ($database:ident) => {
        concat!(
            select_version!(
                "entries join versions on versions.version_id = entries.live_version_id
                 join contents on contents.content_hash = versions.content_hash
                 where entries.kind = $1 and entries.name > $2 and "
            ),
            in_scope!($database, "entries.name", "$4"),
            " order by entries.name limit $3"
        )
    };
}

impl Store {
    pub async fn live_version(&self, key: &EntryKey) -> Result<Option<Version>, Error> {
        self.db
            .optional(
                select_version!(
                    "entries join versions on versions.version_id = entries.live_version_id
                     join contents on contents.content_hash = versions.content_hash
                     where entries.kind = $1 and entries.name = $2"
                ),
                [key.kind.as_str().into(), key.name.as_str().into()],
                version_from_row,
            )
            .await
    }

    /// The live Versions of these Functions and Graphs, of those that have one.
    pub async fn live_callables(&self, names: &[EntryName]) -> Result<Vec<Version>, Error> {
        let sql = Sql {
            sqlite: select_version!(
                "json_each($1) as wanted
                 cross join entries on entries.kind in ('function', 'graph') and entries.name = wanted.value
                 join versions on versions.version_id = entries.live_version_id
                 join contents on contents.content_hash = versions.content_hash"
            ),
            postgres: select_version!(
                "jsonb_array_elements_text($1::text::jsonb) as wanted (name)
                 join entries on entries.kind in ('function', 'graph') and entries.name = wanted.name
                 join versions on versions.version_id = entries.live_version_id
                 join contents on contents.content_hash = versions.content_hash"
            ),
        };
        self.db.query(sql, [Value::json(&names)?], version_from_row).await
    }

    pub async fn version(&self, key: &EntryKey, number: VersionNumber) -> Result<Option<Version>, Error> {
        self.db
            .optional(
                select_version!(
                    "entries join versions on versions.entry_id = entries.entry_id
                     join contents on contents.content_hash = versions.content_hash
                     where entries.kind = $1 and entries.name = $2 and versions.number = $3"
                ),
                [key.kind.as_str().into(), key.name.as_str().into(), number.0.into()],
                version_from_row,
            )
            .await
    }

    pub async fn version_as_of(&self, key: &EntryKey, revision: Revision) -> Result<Option<Version>, Error> {
        self.db
            .optional(
                select_version!(
                    "entries join live_pointers on live_pointers.entry_id = entries.entry_id
                        and live_pointers.revision = (select max(past.revision) from live_pointers as past
                            where past.entry_id = entries.entry_id and past.revision <= $3)
                     join versions on versions.version_id = live_pointers.version_id
                     join contents on contents.content_hash = versions.content_hash
                     where entries.kind = $1 and entries.name = $2"
                ),
                [key.kind.as_str().into(), key.name.as_str().into(), revision.0.into()],
                version_from_row,
            )
            .await
    }

    /// All Versions of an entry, oldest first, without their contents.
    pub async fn versions(&self, key: &EntryKey) -> Result<Vec<VersionHead>, Error> {
        self.db
            .query(
                "select entries.kind, entries.name, entries.entry_id, versions.version_id, versions.number,
                    versions.content_hash, versions.changeset_id, versions.written_by, versions.written_at
                 from entries join versions on versions.entry_id = entries.entry_id
                 where entries.kind = $1 and entries.name = $2 order by versions.number",
                [key.kind.as_str().into(), key.name.as_str().into()],
                head_from_row,
            )
            .await
    }

    /// Which Versions of an entry were live, in order, without the times at which none was.
    pub async fn live_history(&self, key: &EntryKey) -> Result<Vec<VersionNumber>, Error> {
        self.db
            .query(
                "select versions.number
                 from entries join live_pointers on live_pointers.entry_id = entries.entry_id
                 join versions on versions.version_id = live_pointers.version_id
                 where entries.kind = $1 and entries.name = $2 order by live_pointers.revision",
                [key.kind.as_str().into(), key.name.as_str().into()],
                |row| Ok(VersionNumber(row.small(0)?)),
            )
            .await
    }

    /// These Versions, of those that are there, without their contents.
    pub async fn version_heads(&self, versions: &[VersionId]) -> Result<Vec<VersionHead>, Error> {
        let sql = Sql {
            sqlite:
                "select entries.kind, entries.name, entries.entry_id, versions.version_id, versions.number,
                    versions.content_hash, versions.changeset_id, versions.written_by, versions.written_at
                 from json_each($1) as wanted
                 cross join versions on versions.version_id = unhex(replace(wanted.value, '-', ''))
                 join entries on entries.entry_id = versions.entry_id",
            postgres:
                "select entries.kind, entries.name, entries.entry_id, versions.version_id, versions.number,
                    versions.content_hash, versions.changeset_id, versions.written_by, versions.written_at
                 from jsonb_array_elements_text($1::text::jsonb) as wanted (id)
                 join versions on versions.version_id = cast(wanted.id as uuid)
                 join entries on entries.entry_id = versions.entry_id",
        };
        self.db.query(sql, [Value::json(&versions)?], head_from_row).await
    }

    /// The live Versions of a kind after a name, in order: what an index is built from.
    pub async fn live_versions(
        &self,
        kind: EntryKind,
        after: Option<&str>,
        limit: u32,
        scope: &Scope,
    ) -> Result<Vec<Version>, Error> {
        let sql = Sql { sqlite: live_versions!(sqlite), postgres: live_versions!(postgres) };
        let values =
            [kind.as_str().into(), after.unwrap_or_default().into(), limit.into(), scope_value(scope)?];
        self.db.query(sql, values, version_from_row).await
    }

    /// The names whose live pointer moved after a revision, with the revision that is current at the same moment.
    pub async fn moved_since(
        &self,
        kind: EntryKind,
        revision: Revision,
    ) -> Result<(Revision, Vec<EntryName>), Error> {
        let answers = self
            .db
            .read(vec![
                ("select value from counters where counter = 'revision'".into(), vec![]),
                (
                    // A `cross join` keeps SQLite from walking all entries in the order of their names.
                    "select distinct entries.name from live_pointers cross join entries
                     where entries.entry_id = live_pointers.entry_id and live_pointers.revision > $1
                        and entries.kind = $2 order by entries.name"
                        .into(),
                    vec![revision.0.into(), kind.as_str().into()],
                ),
            ])
            .await?;
        let mut answers = answers.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let now = next().first().map(|row| row.unsigned(0)).transpose()?.unwrap_or_default();
        Ok((Revision(now), next().iter().map(|row| row.word(0)).collect::<Result<_, _>>()?))
    }
}

fn head_from_row(row: &Row) -> Result<VersionHead, Error> {
    Ok(VersionHead {
        key: EntryKey::new(row.word(0)?, row.word(1)?),
        entry_id: EntryId(row.uuid(2)?),
        version_id: VersionId(row.uuid(3)?),
        number: VersionNumber(row.small(4)?),
        content_hash: row.hash(5)?,
        changeset_id: ChangesetId(row.uuid(6)?),
        written_by: row.word(7)?,
        written_at: row.timestamp(8)?,
    })
}

pub(crate) fn version_from_row(row: &Row) -> Result<Version, Error> {
    Ok(Version { head: head_from_row(row)?, content: row.json::<Content>(9)? })
}
