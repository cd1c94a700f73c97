//! What is live, since when and by whose authority: what starts things by itself has to know all of it of one moment.

use jiff::Timestamp;
use model::access::Authority;
use model::entry::EntryKind;
use model::revision::Revision;
use model::version::Version;

use super::versions::{version_columns, version_from_row};
use crate::db::Row;
use crate::error::Error;
use crate::store::Store;

/// When an entry became live as it is: a Version may become live again long after it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveSince {
    pub revision: Revision,
    /// The last Event of the Changeset that did it. What concerns the entry has a higher number, whatever clocks say.
    pub seq: u64,
    /// By the clock of the server that did it.
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LiveEntry {
    pub version: Version,
    pub since: LiveSince,
    /// By whose authority it was made live; absent where that was not recorded.
    pub authority: Option<Authority>,
}

impl Store {
    /// The live entries of a kind after a name, in order, and the revision at which they are so.
    pub async fn live_entries(
        &self,
        kind: EntryKind,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Revision, Vec<LiveEntry>), Error> {
        let values = vec![kind.as_str().into(), after.unwrap_or_default().into(), limit.into()];
        let revision = "select value from counters where counter = 'revision'";
        let answers = self.db.read(vec![(revision.into(), Vec::new()), (LIVE.into(), values)]).await?;
        let mut answers = answers.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let revision = next().first().map(|row| row.unsigned(0)).transpose()?.unwrap_or_default();
        Ok((Revision(revision), next().iter().map(live_from_row).collect::<Result<_, _>>()?))
    }
}

/// The newest pointer of an entry was moved by the Changeset that made its revision, to a Version that another may have written.
const LIVE: &str = concat!(
    "select ",
    version_columns!(),
    ", moved.applied_revision, moved.applied_seq, moved.decided_at, moved.decided_access, written.decided_access
     from entries join versions on versions.version_id = entries.live_version_id
     join contents on contents.content_hash = versions.content_hash
     join changesets as written on written.changeset_id = versions.changeset_id
     join changesets as moved on moved.applied_revision = (select max(live_pointers.revision) from live_pointers
        where live_pointers.entry_id = entries.entry_id)
     where entries.kind = $1 and entries.name > $2 order by entries.name limit $3"
);

fn live_from_row(row: &Row) -> Result<LiveEntry, Error> {
    let version = version_from_row(row)?;
    let since = LiveSince {
        revision: Revision(row.unsigned(10)?),
        seq: row.unsigned(11)?,
        at: row.optional_timestamp(12)?.unwrap_or(version.head.written_at),
    };
    let moved: Option<Authority> = row.optional_json(13)?;
    let written = row.optional_json(14)?;
    Ok(LiveEntry { version, since, authority: moved.map(|moved| Authority::of_applied(moved, written)) })
}
