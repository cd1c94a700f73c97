//! Closures: what a Function or Graph loads, now, at a revision, or as a Run loaded it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use model::function::closure::{ClosureHash, Member};
use model::ids::VersionId;
use model::name::EntryName;
use model::revision::Revision;
use model::version::Version;

use crate::brain::versions::{version_columns, version_from_row};
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// A few hundred kilobytes; beyond that all are forgotten, which costs a statement each.
const REMEMBERED: usize = 10_000;

/// Closures that are known to be recorded, so that starting a Run need not record its closure again. None is ever
/// deleted.
#[derive(Clone, Default)]
pub(crate) struct RecordedClosures(Arc<Mutex<HashSet<ClosureHash>>>);

impl RecordedClosures {
    pub(crate) fn contains(&self, hash: &ClosureHash) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(hash)
    }

    pub(crate) fn insert(&self, hash: ClosureHash) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(hash);
    }
}

/// Whoever is first writes it.
pub(crate) fn push_closure(batch: &mut Batch, hash: ClosureHash, members: &[Member]) -> Result<(), Error> {
    batch.push(
        "insert into closures (closure_hash, members) values ($1, $2) on conflict (closure_hash) do nothing",
        [hash.0.as_slice().into(), Value::json(&members)?],
    );
    Ok(())
}

/// The root, then all that is called, directly or not, by what is reached. A pinned dependency is reached at its
/// Version, any other at the live one, which `$live` names. Each comes with whether it is the live one.
macro_rules! closure {
    ($root:literal, $live:literal) => {
        concat!(
            "with recursive reached (version_id) as (",
            $root,
            " union
                select case when content_references.number = 0 then ",
            $live,
            " else (select pinned.version_id from versions as pinned
                    where pinned.entry_id = entries.entry_id and pinned.number = content_references.number) end
                from reached
                join versions on versions.version_id = reached.version_id
                join content_references on content_references.content_hash = versions.content_hash
                    and content_references.role = 'calls' and content_references.kind = 'function'
                join entries on entries.kind in ('function', 'graph') and entries.name = content_references.name
             )
             select ",
            version_columns!(),
            ", coalesce(versions.version_id = ",
            $live,
            ", false)
             from reached join versions on versions.version_id = reached.version_id
             join entries on entries.entry_id = versions.entry_id
             join contents on contents.content_hash = versions.content_hash
             order by entries.name, versions.number"
        )
    };
}

impl Store {
    /// A live Function or Graph and all it calls, directly or not, each at the Version it would be called at, and whether that is
    /// the live one.
    pub async fn closure(&self, name: &EntryName) -> Result<Vec<(Version, bool)>, Error> {
        let sql = closure!(
            "select live_version_id from entries where kind in ('function', 'graph') and name = $1
                and live_version_id is not null",
            "entries.live_version_id"
        );
        self.db.query(sql, [name.as_str().into()], member_from_row).await
    }

    /// Any Version of a Function or Graph and all it calls as the brain is now.
    pub async fn closure_of(&self, version: VersionId) -> Result<Vec<(Version, bool)>, Error> {
        let sql =
            closure!("select version_id from versions where version_id = $1", "entries.live_version_id");
        self.db.query(sql, [version.0.into()], member_from_row).await
    }

    /// A Function or Graph and all it calls, as the brain was at a revision.
    pub async fn closure_as_of(
        &self,
        name: &EntryName,
        revision: Revision,
    ) -> Result<Vec<(Version, bool)>, Error> {
        let sql = closure!(
            "select version_id from live_pointers where revision <= $2 and entry_id in (
                select entry_id from entries where kind in ('function', 'graph') and name = $1)
                and revision = (select max(past.revision) from live_pointers as past
                    where past.entry_id = live_pointers.entry_id and past.revision <= $2)",
            "(select past.version_id from live_pointers as past where past.entry_id = entries.entry_id
                and past.revision = (select max(before.revision) from live_pointers as before
                    where before.entry_id = entries.entry_id and before.revision <= $2))"
        );
        self.db.query(sql, [name.as_str().into(), revision.0.into()], member_from_row).await
    }

    /// What a Run loaded; nothing if no Run did.
    pub async fn closure_versions(&self, hash: ClosureHash) -> Result<Vec<(Version, bool)>, Error> {
        let sql = Sql {
            sqlite: concat!(
                "select ",
                version_columns!(),
                ", member.value ->> 'live'
                 from closures join json_each(closures.members) as member
                 cross join versions on versions.version_id
                    = unhex(replace(member.value ->> 'version_id', '-', ''))
                 join entries on entries.entry_id = versions.entry_id
                 join contents on contents.content_hash = versions.content_hash
                 where closures.closure_hash = $1 order by entries.name, versions.number"
            ),
            postgres: concat!(
                "select ",
                version_columns!(),
                ", member.live
                 from closures
                 cross join lateral jsonb_to_recordset(closures.members::jsonb) as member (version_id uuid, live boolean)
                 join versions on versions.version_id = member.version_id
                 join entries on entries.entry_id = versions.entry_id
                 join contents on contents.content_hash = versions.content_hash
                 where closures.closure_hash = $1 order by entries.name, versions.number"
            ),
        };
        self.db.query(sql, [hash.0.as_slice().into()], member_from_row).await
    }

    /// For Runs that are recorded otherwise than by [`start_run`](Store::start_run).
    pub async fn record_closure(&self, hash: ClosureHash, members: &[Member]) -> Result<(), Error> {
        if self.closures.contains(&hash) {
            return Ok(());
        }
        let mut batch = Batch::new();
        push_closure(&mut batch, hash, members)?;
        self.db.write(batch, Durability::Power).await?;
        self.closures.insert(hash);
        Ok(())
    }
}

fn member_from_row(row: &Row) -> Result<(Version, bool), Error> {
    Ok((version_from_row(row)?, row.bool(10)?))
}
