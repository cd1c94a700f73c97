//! Applying a Changeset: one batch in which all live pointers move, the revision is incremented and the Events are appended,
//! or nothing happens.

use model::access::audit::AuditRecord;
use model::changeset::application::{Fate, Move};
use model::changeset::{Changeset, ChangesetState};
use model::event::NewEvent;
use model::pack::Pack;
use model::revision::Revision;

use super::changesets::{push_changeset, push_decision};
use super::packs::push_pack;
use crate::access::audit::push_audit;
use crate::changes::Topic;
use crate::db::{Batch, Durability, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// Everything that happens when a Changeset is applied.
#[derive(Clone, Debug)]
pub struct Application<'a> {
    /// As it will be: applied, with its revision and its decision.
    pub changeset: &'a Changeset,
    /// The state in which it is recorded; absent if it is not recorded yet.
    pub recorded: Option<ChangesetState>,
    pub moves: &'a [Move],
    /// The Pack that the put entries belong to from now on.
    pub pack: Option<&'a Pack>,
    pub events: &'a [NewEvent],
    pub audit: &'a AuditRecord,
}

impl Store {
    /// Answers [`Error::GuardFailed`] if the revision is no longer the one before the Changeset's.
    pub async fn apply(&self, application: &Application<'_>) -> Result<(), Error> {
        let changeset = application.changeset;
        let revision = changeset.applied.unwrap_or_default();
        let mut batch = Batch::new();
        batch.changes(Topic::Brain);
        batch.guard(
            "update counters set value = value + 1 where counter = 'revision' and value = $1",
            [revision.previous().0.into()],
            "the brain is at the revision this was worked out for",
        );
        if let Some(pack) = application.pack {
            push_pack(&mut batch, pack);
        }
        match application.recorded {
            Some(was) => push_decision(&mut batch, changeset, was)?,
            None => push_changeset(&mut batch, changeset)?,
        }
        if let Some(reverted) = changeset.reverts {
            batch.guard(
                "update changesets set state = 'reverted' where changeset_id = $1 and state = 'applied'",
                [reverted.0.into()],
                "the changeset to revert is applied",
            );
        }
        push_moves(&mut batch, application, revision);
        push_audit(&mut batch, application.audit);
        push_events(&mut batch, application.events);
        batch.push(
            "update changesets set applied_seq = (select value from counters where counter = 'event')
             where changeset_id = $1",
            [changeset.id.0.into()],
        );
        self.db.write(batch, Durability::Power).await.map(drop)
    }
}

fn push_moves(batch: &mut Batch, application: &Application<'_>, revision: Revision) {
    let moves = application.moves;
    let new = moves.iter().filter(|moved| moved.is_new).map(|moved| {
        vec![moved.entry_id.0.into(), moved.key.kind.as_str().into(), moved.key.name.as_str().into()]
    });
    batch.bulk(
        Sql {
            sqlite: "insert into entries (entry_id, kind, name) values ($1, $2, $3)",
            postgres: "insert into entries (entry_id, kind, name)
                select * from unnest($1::uuid[], $2::text[], $3::text[])",
        },
        new.collect(),
    );
    push_versions(batch, application);
    push_pointers(batch, application, revision);
}

fn push_pointers(batch: &mut Batch, application: &Application<'_>, revision: Revision) {
    // By name: another load of the same Pack may have been first, and then its id counts.
    let pack = application.pack.map(|pack| pack.name.as_str());
    let rows = |last: Value| -> Vec<Vec<Value>> {
        let row = |moved: &Move| {
            vec![moved.entry_id.0.into(), moved.to.map(|(_, version)| version.0).into(), last.clone()]
        };
        // What only had its history written did not move.
        let moved = application.moves.iter().filter(|moved| moved.fate() != Fate::Recorded);
        moved.map(row).collect()
    };
    // What is deleted belongs to no pack any more; what is put without one stays where it was.
    batch.bulk(
        Sql {
            sqlite: "update entries set live_version_id = $2,
                pack_id = case when $2 is null then null
                    else coalesce((select packs.pack_id from packs where packs.name = $3), pack_id) end
                where entry_id = $1",
            postgres: "update entries set live_version_id = new.version_id,
                pack_id = case when new.version_id is null then null
                    else coalesce(packs.pack_id, entries.pack_id) end
                from unnest($1::uuid[], $2::uuid[], $3::text[]) as new (entry_id, version_id, pack)
                left join packs on packs.name = new.pack
                where entries.entry_id = new.entry_id",
        },
        rows(pack.into()),
    );
    batch.bulk(
        Sql {
            sqlite: "insert into live_pointers (entry_id, version_id, revision) values ($1, $2, $3)",
            postgres: "insert into live_pointers (entry_id, version_id, revision)
                select * from unnest($1::uuid[], $2::uuid[], $3::bigint[])",
        },
        rows(revision.0.into()),
    );
}

fn push_versions(batch: &mut Batch, application: &Application<'_>) {
    let changeset = application.changeset;
    let written_by = changeset.actor.to_string();
    let versions = application.moves.iter().flat_map(|moved| {
        moved.writes.iter().map(|written| {
            vec![
                written.version_id.0.into(),
                moved.entry_id.0.into(),
                written.number.0.into(),
                written.snapshot.hash.0.as_slice().into(),
                changeset.id.0.into(),
                written_by.as_str().into(),
                written.written_at.unwrap_or(changeset.created_at).into(),
            ]
        })
    });
    batch.bulk(
        Sql {
            sqlite: "insert into versions (version_id, entry_id, number, content_hash, changeset_id, written_by,
                written_at) values ($1, $2, $3, $4, $5, $6, $7)",
            postgres: "insert into versions (version_id, entry_id, number, content_hash, changeset_id, written_by,
                written_at) select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::uuid[],
                $6::text[], $7::bigint[])",
        },
        versions.collect(),
    );
}
