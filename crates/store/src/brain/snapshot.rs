//! What must be known about the brain before a Changeset is checked or applied, read at one instant.

use std::collections::{BTreeSet, HashMap, HashSet};

use model::access::scope::Scope;
use model::changeset::application::{EntryState, KnownVersion};
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::ids::{EntryId, PackId, VersionId};
use model::revision::Revision;
use model::version::VersionNumber;

use super::references::{referrer_from_row, referrers_question};
use crate::db::{Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Whom to look up.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub entries: Vec<EntryKey>,
    /// Functions whose referrers matter, because they go.
    pub referrers_of: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    pub revision: Revision,
    /// Those that exist, deleted ones included.
    pub entries: HashMap<EntryKey, EntryState>,
    /// What is named, how, by whom.
    pub referrers: Vec<(EntryKey, Role, EntryKey)>,
}

impl Snapshot {
    /// The keys that are live.
    pub fn live(&self) -> HashSet<EntryKey> {
        self.entries.iter().filter(|(_, state)| state.live.is_some()).map(|(key, _)| key.clone()).collect()
    }
}

impl Store {
    pub async fn snapshot(&self, question: &Question) -> Result<Snapshot, Error> {
        // Once each: what is asked for twice would have each of its Versions twice.
        let wanted: BTreeSet<&EntryKey> = question.entries.iter().collect();
        // A `cross join` keeps SQLite from walking all entries in the order of their ids.
        let entries = Sql {
            sqlite: "select entries.kind, entries.name, entries.entry_id, entries.pack_id, live.number,
                    (select max(revision) from live_pointers where live_pointers.entry_id = entries.entry_id),
                    versions.number, versions.version_id, versions.content_hash
                from json_each($1) as wanted
                cross join entries on entries.kind = wanted.value ->> 'kind'
                    and entries.name = wanted.value ->> 'name'
                left join versions as live on live.version_id = entries.live_version_id
                join versions on versions.entry_id = entries.entry_id
                order by entries.entry_id, versions.number",
            postgres: "select entries.kind, entries.name, entries.entry_id, entries.pack_id, live.number,
                    (select max(revision) from live_pointers where live_pointers.entry_id = entries.entry_id),
                    versions.number, versions.version_id, versions.content_hash
                from jsonb_to_recordset($1::text::jsonb) as wanted (kind text, name text)
                join entries on entries.kind = wanted.kind and entries.name = wanted.name
                left join versions as live on live.version_id = entries.live_version_id
                join versions on versions.entry_id = entries.entry_id
                order by entries.entry_id, versions.number",
        };
        let mut reads = vec![
            ("select value from counters where counter = 'revision'".into(), vec![]),
            (entries, vec![Value::json(&wanted)?]),
        ];
        if !question.referrers_of.is_empty() {
            reads.push(referrers_question(EntryKind::Function, &question.referrers_of, &Scope::All)?);
        }
        let mut answers = self.db.read(reads).await?.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let revision = next().first().map(|row| row.unsigned(0)).transpose()?.unwrap_or_default();
        Ok(Snapshot {
            revision: Revision(revision),
            entries: states_from_rows(&next())?,
            referrers: next().iter().map(referrer_from_row).collect::<Result<_, _>>()?,
        })
    }
}

/// One live pointer's movement at a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct PastMove {
    pub key: EntryKey,
    pub from: Option<VersionNumber>,
    pub to: Option<VersionNumber>,
    /// The revision at which it moved last; later than the one asked for if it moved again.
    pub last_moved_at: Revision,
}

impl Store {
    /// What a revision moved, by name.
    pub async fn moves_at(&self, revision: Revision) -> Result<Vec<PastMove>, Error> {
        self.db
            .query(
                "select entries.kind, entries.name, versions.number,
                    (select before.number from live_pointers as past
                        join versions as before on before.version_id = past.version_id
                        where past.entry_id = entries.entry_id and past.revision = (
                            select max(revision) from live_pointers as earlier
                            where earlier.entry_id = entries.entry_id and earlier.revision < $1)),
                    (select max(revision) from live_pointers as later where later.entry_id = entries.entry_id)
                 from live_pointers
                 join entries on entries.entry_id = live_pointers.entry_id
                 left join versions on versions.version_id = live_pointers.version_id
                 where live_pointers.revision = $1 order by entries.kind, entries.name",
                [revision.0.into()],
                |row| {
                    Ok(PastMove {
                        key: EntryKey::new(row.word(0)?, row.word(1)?),
                        to: row.optional_small(2)?.map(VersionNumber),
                        from: row.optional_small(3)?.map(VersionNumber),
                        last_moved_at: Revision(row.unsigned(4)?),
                    })
                },
            )
            .await
    }
}

/// One row a Version, those of one entry together.
fn states_from_rows(rows: &[Row]) -> Result<HashMap<EntryKey, EntryState>, Error> {
    let mut states: HashMap<EntryKey, EntryState> = HashMap::with_capacity(rows.len());
    for row in rows {
        let key = EntryKey::new(row.word(0)?, row.word(1)?);
        let version = KnownVersion {
            number: VersionNumber(row.small(6)?),
            version_id: VersionId(row.uuid(7)?),
            content_hash: row.hash(8)?,
        };
        let state = EntryState {
            entry_id: EntryId(row.uuid(2)?),
            pack: row.optional_uuid(3)?.map(PackId),
            live: row.optional_small(4)?.map(VersionNumber),
            moved_at: Revision(row.optional_unsigned(5)?.unwrap_or_default()),
            versions: Vec::new(),
        };
        states.entry(key).or_insert(state).versions.push(version);
    }
    Ok(states)
}
