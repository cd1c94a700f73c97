//! A brain for tests: contents made by hand, applied as the server would.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use model::access::Authority;
use model::access::actor::Actor;
use model::access::audit::AuditRecord;
use model::access::scope::Scope;
use model::changeset::application::{Move, PlanError, plan};
use model::changeset::{Change, Changeset, ChangesetState};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::event::{EventKind, NewEvent};
use model::function::FunctionDraft;
use model::function::dependency::Dependency;
use model::graph::GraphContent;
use model::ids::{AuditId, ChangesetId, EntryId, PackId, VersionId};
use model::name::EntryName;
use model::pack::Pack;
use model::version::VersionNumber;
use serde_json::json;
use store::testing::TestDatabase;
use store::{Application, Error, Question, Store};
use uuid::Uuid;

/// Ids that grow, as those of the server do.
pub(crate) fn id() -> Uuid {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(u128::from(COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// An id made at a second, as those of the server are.
pub(crate) fn id_at(second: i64) -> Uuid {
    let mut chance = [0; 10];
    chance[2..].copy_from_slice(&id().as_bytes()[8..]);
    let millis = u64::try_from(at(second).as_millisecond()).unwrap();
    uuid::Builder::from_unix_timestamp_millis(millis, &chance).into_uuid()
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_microsecond(1_700_000_000_000_000 + second * 1_000_000 + 123_456).unwrap()
}

pub(crate) fn name(text: &str) -> EntryName {
    text.parse().unwrap()
}

pub(crate) fn key(text: &str) -> EntryKey {
    EntryKey::function(name(text))
}

/// A scope of these patterns.
pub(crate) fn names(patterns: &[&str]) -> Scope {
    Scope::Names(patterns.iter().map(ToString::to_string).collect())
}

pub(crate) fn graph_key(text: &str) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name(text))
}

/// The content of a function that answers a number.
pub(crate) fn answering(text: &str, answer: u32) -> Content {
    let last = name(text).last().to_owned();
    source(&format!("def {last}():\n    \"\"\"Answers {answer}.\"\"\"\n    return {answer}\n"))
}

/// The content of a function that calls others, some of them pinned.
pub(crate) fn calling(text: &str, callees: &[(&str, Option<u32>)]) -> Content {
    let Content::Function(mut content) = answering(text, 0) else { unreachable!("it is a function") };
    content.dependencies = callees
        .iter()
        .map(|(callee, version)| Dependency {
            alias: (*callee).to_owned(),
            function: (*callee).to_owned(),
            version: version.map(VersionNumber),
        })
        .collect();
    Content::Function(content)
}

pub(crate) fn source(text: &str) -> Content {
    let assembled = FunctionDraft::of_source(text).assemble(None, &|_| None).unwrap();
    Content::Function(Box::new(assembled.content))
}

pub(crate) fn graph(description: &str) -> Content {
    Content::Graph(GraphContent { description: description.to_owned(), ..GraphContent::default() })
}

pub(crate) fn put(text: &str, answer: u32) -> Change {
    Change::put(name(text), answering(text, answer))
}

pub(crate) fn put_calling(text: &str, callees: &[(&str, Option<u32>)]) -> Change {
    Change::put(name(text), calling(text, callees))
}

pub(crate) fn point(text: &str, number: u32) -> Change {
    Change::point(key(text), VersionNumber(number))
}

pub(crate) fn delete(text: &str) -> Change {
    Change::delete(key(text))
}

pub(crate) fn event(source: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::Custom("test".to_owned()),
        source: source.to_owned(),
        data: json!({ "text": "a\0b ü 🎈" }),
        actor: Actor::CommandLine,
        at: at(1),
    }
}

pub(crate) fn audit(verb: &str) -> AuditRecord {
    AuditRecord {
        audit_id: AuditId(id()),
        at: at(2),
        actor: Actor::CommandLine,
        verb: verb.to_owned(),
        subject: "subject".to_owned(),
        details: json!({ "n": 1, "text": "\0" }),
    }
}

pub(crate) fn pack(text: &str) -> Pack {
    Pack {
        pack_id: PackId(id()),
        name: text.to_owned(),
        origin: format!("packs/{text}.py"),
        prefix: String::new(),
        loaded_at: at(3),
        live_entries: 0,
    }
}

/// A Changeset that is checked and not recorded yet.
pub(crate) fn changeset(changes: Vec<Change>) -> Changeset {
    Changeset {
        id: ChangesetId(id()),
        number: 0,
        state: ChangesetState::Checked,
        title: "a change".to_owned(),
        base: model::revision::Revision(0),
        applied: None,
        reverts: None,
        actor: Actor::CommandLine,
        authority: Arc::new(Authority::of_command_line()),
        created_at: at(4),
        decided_by: None,
        decided_at: None,
        decided_authority: None,
        comment: None,
        changes,
        checks: Vec::new(),
        conflicts: Vec::new(),
    }
}

/// What applying went wrong with.
#[derive(Debug)]
pub(crate) enum Refused {
    Plan(PlanError),
    Store(Error),
}

pub(crate) struct World {
    pub(crate) store: Store,
}

impl World {
    pub(crate) async fn open(database: &TestDatabase) -> World {
        World { store: Store::open(database.location()).await.unwrap() }
    }

    /// Works out the moves of a Changeset against the brain as it is, and numbers the revision it will make.
    pub(crate) async fn plan(&self, changeset: &mut Changeset) -> Result<Vec<Move>, PlanError> {
        let entries = changeset.changes.iter().map(|change| change.key.clone()).collect();
        let question = Question { entries, referrers_of: Vec::new() };
        let snapshot = self.store.snapshot(&question).await.unwrap();
        changeset.base = snapshot.revision;
        changeset.applied = Some(snapshot.revision.next());
        changeset.state = ChangesetState::Applied;
        changeset.decided_by = Some(Actor::CommandLine);
        changeset.decided_at = Some(at(5));
        plan(&changeset.changes, &snapshot.entries, || EntryId(id()), || VersionId(id()))
    }

    pub(crate) async fn try_apply(
        &self,
        mut changeset: Changeset,
        pack: Option<&Pack>,
    ) -> Result<(Changeset, Vec<Move>), Refused> {
        let moves = self.plan(&mut changeset).await.map_err(Refused::Plan)?;
        let events = [event("applied")];
        let application = Application {
            changeset: &changeset,
            recorded: None,
            moves: &moves,
            pack,
            events: &events,
            audit: &audit("changeset.apply"),
        };
        self.store.apply(&application).await.map_err(Refused::Store)?;
        Ok((changeset, moves))
    }

    pub(crate) async fn apply(&self, changes: Vec<Change>) -> Changeset {
        self.try_apply(changeset(changes), None).await.unwrap().0
    }
}
