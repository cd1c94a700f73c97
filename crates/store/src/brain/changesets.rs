//! Changesets: drafts, decisions about them, and the log of those that were applied.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use model::access::Authority;
use model::access::actor::Actor;
use model::access::scope::Scope;
use model::changeset::{Change, Changeset, ChangesetState, NewVersion};
use model::content::Snapshot;
use model::entry::EntryKey;
use model::event::NewEvent;
use model::ids::{ChangesetId, EntryId};
use model::revision::Revision;
use serde::{Deserialize, Serialize};

use super::references::push_contents;
use crate::access::scope::{in_scope, scope_value};
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::optional_json;
use crate::runs::waiting::push_wake_by_decision;
use crate::store::Store;

/// Which Changesets are listed, newest first.
#[derive(Clone, Debug, Default)]
pub struct ChangesetFilter {
    pub state: Option<ChangesetState>,
    /// Only those that were applied, also if reverted later.
    pub applied: bool,
    /// Those before this number.
    pub before: Option<u64>,
    /// Only those that change these names and no other.
    pub scope: Scope,
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ChangesetSummary {
    pub changeset_id: ChangesetId,
    pub number: u64,
    pub state: ChangesetState,
    pub title: String,
    pub base_revision: Revision,
    pub applied_revision: Option<Revision>,
    pub actor: Actor,
    pub created_at: Timestamp,
    /// How many entries it changes.
    pub changes: u64,
}

macro_rules! select_changeset {
    ($condition:literal) => {
        concat!(
            "select changeset_id, number, state, title, base_revision, applied_revision, reverts, actor, created_at,
                decided_by, decided_at, checks, conflicts, access, decided_access, comment from changesets where ",
            $condition
        )
    };
}

/// Which of them a scope may know of is decided as [`Changeset::is_visible_to`] does it.
macro_rules! changesets {
    ($database:ident) => {
        concat!(
            "select changeset_id, number, state, title, base_revision, applied_revision, actor, created_at,
                (select count(*) from changes where changes.changeset_id = changesets.changeset_id)
             from changesets
             where (cast($1 as text) is null or state = $1)
                and (not $2 or applied_revision is not null)
                and number < $3
                and (cast($5 as text) is null or (
                    exists (select 1 from changes where changes.changeset_id = changesets.changeset_id)
                    and not exists (select 1 from changes where changes.changeset_id = changesets.changeset_id and not ",
            in_scope!($database, "changes.name", "$5"),
            "))) order by number desc limit $4"
        )
    };
}

/// The newest pointer of an entry was moved by the Changeset that made its revision, to a Version that another may have written.
macro_rules! appliers {
    ($wanted:literal) => {
        concat!(
            "select entries.entry_id, moved.decided_access, written.decided_access from ",
            $wanted,
            " join changesets as moved on moved.applied_revision = (select max(live_pointers.revision) from live_pointers
                where live_pointers.entry_id = entries.entry_id)
             left join versions on versions.version_id = entries.live_version_id
             left join changesets as written on written.changeset_id = versions.changeset_id
             where moved.decided_access is not null"
        )
    };
}

impl Store {
    /// Records a Changeset that is not applied, and answers the number it got.
    pub async fn record_changeset(&self, changeset: &Changeset) -> Result<u64, Error> {
        let mut batch = Batch::new();
        push_changeset(&mut batch, changeset)?;
        self.db.write(batch, Durability::Power).await?;
        self.changeset_number(changeset.id).await
    }

    /// Records a Changeset that waits for somebody, with the Event that says so. The Event has its number.
    pub async fn record_proposal(
        &self,
        changeset: &Changeset,
        event: impl Fn(u64) -> NewEvent,
    ) -> Result<u64, Error> {
        loop {
            let last = "select value from counters where counter = 'changeset'";
            let number = self.db.one(last, [], |row| row.unsigned(0)).await? + 1;
            let mut batch = Batch::new();
            push_changeset(&mut batch, changeset)?;
            batch.guard(
                "select 1 from counters where counter = 'changeset' and value = $1",
                [number.into()],
                "nobody took this number",
            );
            push_events(&mut batch, &[event(number)]);
            if self.write_guarded(batch).await? {
                return Ok(number);
            }
        }
    }

    pub async fn changeset_number(&self, id: ChangesetId) -> Result<u64, Error> {
        let number = "select number from changesets where changeset_id = $1";
        self.db.one(number, [id.0.into()], |row| row.unsigned(0)).await
    }

    /// Writes down what was decided, if it still is in the state this was decided in, with the Events that say so.
    pub async fn decide_changeset(
        &self,
        changeset: &Changeset,
        was: ChangesetState,
        events: &[NewEvent],
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        push_decision(&mut batch, changeset, was)?;
        push_events(&mut batch, events);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn changeset(&self, id: ChangesetId) -> Result<Option<Changeset>, Error> {
        let head = self
            .db
            .optional(select_changeset!("changeset_id = $1"), [id.0.into()], changeset_from_row)
            .await?;
        self.with_changes(head).await
    }

    pub async fn changeset_by_number(&self, number: u64) -> Result<Option<Changeset>, Error> {
        let head =
            self.db.optional(select_changeset!("number = $1"), [number.into()], changeset_from_row).await?;
        self.with_changes(head).await
    }

    /// The Changeset that made a revision.
    pub async fn changeset_by_revision(&self, revision: Revision) -> Result<Option<Changeset>, Error> {
        let head = self
            .db
            .optional(select_changeset!("applied_revision = $1"), [revision.0.into()], changeset_from_row)
            .await?;
        self.with_changes(head).await
    }

    pub async fn changesets(
        &self,
        filter: &ChangesetFilter,
        limit: u32,
    ) -> Result<Vec<ChangesetSummary>, Error> {
        let sql = Sql { sqlite: changesets!(sqlite), postgres: changesets!(postgres) };
        let values = [
            filter.state.map(ChangesetState::as_str).into(),
            filter.applied.into(),
            filter.before.map_or(i64::MAX, |number| i64::try_from(number).unwrap_or(i64::MAX)).into(),
            limit.into(),
            scope_value(&filter.scope)?,
        ];
        self.db.query(sql, values, summary_from_row).await
    }

    /// By whose authority it was proposed; absent where that was not recorded.
    pub async fn changeset_authority(&self, id: ChangesetId) -> Result<Option<Authority>, Error> {
        let sql = "select access from changesets where changeset_id = $1";
        Ok(self.db.optional(sql, [id.0.into()], |row| row.optional_json(0)).await?.flatten())
    }

    /// By whose authority these entries were made live as they are; absent where that was not recorded.
    pub async fn appliers(&self, entries: &[EntryId]) -> Result<HashMap<EntryId, Authority>, Error> {
        let sql = Sql {
            sqlite: appliers!(
                "json_each($1) as wanted
                 cross join entries on entries.entry_id = unhex(replace(wanted.value, '-', ''))"
            ),
            postgres: appliers!(
                "jsonb_array_elements_text($1::text::jsonb) as wanted (id)
                 join entries on entries.entry_id = cast(wanted.id as uuid)"
            ),
        };
        let row = |row: &Row| {
            let (moved, written) = (row.json(1)?, row.optional_json(2)?);
            Ok((EntryId(row.uuid(0)?), Authority::of_applied(moved, written)))
        };
        Ok(self.db.query(sql, [Value::json(&entries)?], row).await?.into_iter().collect())
    }

    async fn with_changes(&self, head: Option<Changeset>) -> Result<Option<Changeset>, Error> {
        let Some(mut changeset) = head else { return Ok(None) };
        let values = vec![Value::from(changeset.id.0)];
        let changes =
            "select position, kind, name, live from changes where changeset_id = $1 order by position";
        let contents = "select position, written_at, body from change_contents
            join contents on contents.content_hash = change_contents.content_hash
            where changeset_id = $1 order by position, ordinal";
        let answers = self.db.read(vec![(changes.into(), values.clone()), (contents.into(), values)]).await?;
        let mut answers = answers.into_iter();
        let (changes, contents) = (answers.next().unwrap_or_default(), answers.next().unwrap_or_default());

        let mut adds: HashMap<u64, Vec<NewVersion>> = HashMap::new();
        for row in &contents {
            let snapshot: Arc<Snapshot> = Snapshot::of(row.json(2)?);
            let version = NewVersion { snapshot, written_at: row.optional_timestamp(1)? };
            adds.entry(row.unsigned(0)?).or_default().push(version);
        }
        for row in &changes {
            changeset.changes.push(Change {
                key: EntryKey::new(row.word(1)?, row.word(2)?),
                adds: adds.remove(&row.unsigned(0)?).unwrap_or_default(),
                live: row.json(3)?,
            });
        }
        Ok(Some(changeset))
    }
}

/// A Changeset with its changes and contents. It takes the next number.
pub(crate) fn push_changeset(batch: &mut Batch, changeset: &Changeset) -> Result<(), Error> {
    let contents = changeset
        .changes
        .iter()
        .flat_map(|change| change.adds.iter().map(|version| version.snapshot.as_ref()));
    push_contents(batch, contents);
    batch.push("update counters set value = value + 1 where counter = 'changeset'", []);
    batch.push(
        "insert into changesets (changeset_id, number, state, title, base_revision, applied_revision, reverts, actor,
            created_at, decided_by, decided_at, checks, conflicts, access, decided_access, comment)
         select $1, value, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15 from counters where counter = 'changeset'",
        [
            changeset.id.0.into(),
            changeset.state.as_str().into(),
            changeset.title.as_str().into(),
            changeset.base.0.into(),
            changeset.applied.map(|revision| revision.0).into(),
            changeset.reverts.map(|id| id.0).into(),
            changeset.actor.to_string().into(),
            changeset.created_at.into(),
            changeset.decided_by.as_ref().map(ToString::to_string).into(),
            changeset.decided_at.into(),
            Value::json(&changeset.checks)?,
            Value::json(&changeset.conflicts)?,
            Value::json(&*changeset.authority)?,
            optional_json(changeset.decided_authority.as_deref())?,
            changeset.comment.as_deref().into(),
        ],
    );
    push_changes(batch, changeset)
}

fn push_changes(batch: &mut Batch, changeset: &Changeset) -> Result<(), Error> {
    let mut changes = Vec::with_capacity(changeset.changes.len());
    let mut contents = Vec::with_capacity(changeset.changes.len());
    for (change, position) in changeset.changes.iter().zip(0_u64..) {
        changes.push(vec![
            changeset.id.0.into(),
            position.into(),
            change.key.kind.as_str().into(),
            change.key.name.as_str().into(),
            Value::json(&change.live)?,
        ]);
        contents.extend(change.adds.iter().zip(0_u64..).map(|(version, ordinal)| {
            vec![
                changeset.id.0.into(),
                position.into(),
                ordinal.into(),
                version.snapshot.hash.0.as_slice().into(),
                version.written_at.into(),
            ]
        }));
    }
    batch.bulk(
        Sql {
            sqlite: "insert into changes (changeset_id, position, kind, name, live) values ($1, $2, $3, $4, $5)",
            postgres: "insert into changes (changeset_id, position, kind, name, live)
                select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[])",
        },
        changes,
    );
    batch.bulk(
        Sql {
            sqlite: "insert into change_contents (changeset_id, position, ordinal, content_hash, written_at)
                values ($1, $2, $3, $4, $5)",
            postgres:
                "insert into change_contents (changeset_id, position, ordinal, content_hash, written_at)
                select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])",
        },
        contents,
    );
    Ok(())
}

/// The state and all that comes with it, provided it still was in `was`.
pub(crate) fn push_decision(
    batch: &mut Batch,
    changeset: &Changeset,
    was: ChangesetState,
) -> Result<(), Error> {
    batch.guard(
        "update changesets set state = $3, base_revision = $4, applied_revision = $5, decided_by = $6, decided_at = $7,
            checks = $8, conflicts = $9, decided_access = $10, comment = $11
         where changeset_id = $1 and state = $2",
        [
            changeset.id.0.into(),
            was.as_str().into(),
            changeset.state.as_str().into(),
            changeset.base.0.into(),
            changeset.applied.map(|revision| revision.0).into(),
            changeset.decided_by.as_ref().map(ToString::to_string).into(),
            changeset.decided_at.into(),
            Value::json(&changeset.checks)?,
            Value::json(&changeset.conflicts)?,
            optional_json(changeset.decided_authority.as_deref())?,
            changeset.comment.as_deref().into(),
        ],
        "the changeset is in the state it was",
    );
    match changeset.decided_at {
        Some(at) => push_wake_by_decision(batch, changeset.number, at),
        None => Ok(()),
    }
}

fn changeset_from_row(row: &Row) -> Result<Changeset, Error> {
    Ok(Changeset {
        id: ChangesetId(row.uuid(0)?),
        number: row.unsigned(1)?,
        state: row.word(2)?,
        title: row.text(3)?,
        base: Revision(row.unsigned(4)?),
        applied: row.optional_unsigned(5)?.map(Revision),
        reverts: row.optional_uuid(6)?.map(ChangesetId),
        authority: match row.optional_json(13)? {
            Some(authority) => Arc::new(authority),
            None => Arc::new(Authority::unknown(row.word(7)?)),
        },
        decided_authority: row.optional_json(14)?.map(Arc::new),
        comment: row.optional_text(15)?,
        actor: row.word(7)?,
        created_at: row.timestamp(8)?,
        decided_by: row.optional_word(9)?,
        decided_at: row.optional_timestamp(10)?,
        checks: row.json(11)?,
        conflicts: row.json(12)?,
        changes: Vec::new(),
    })
}

fn summary_from_row(row: &Row) -> Result<ChangesetSummary, Error> {
    Ok(ChangesetSummary {
        changeset_id: ChangesetId(row.uuid(0)?),
        number: row.unsigned(1)?,
        state: row.word(2)?,
        title: row.text(3)?,
        base_revision: Revision(row.unsigned(4)?),
        applied_revision: row.optional_unsigned(5)?.map(Revision),
        actor: row.word(6)?,
        created_at: row.timestamp(7)?,
        changes: row.unsigned(8)?,
    })
}
