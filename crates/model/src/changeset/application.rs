//! Applying a Changeset: which Versions are written and where the live pointers go, worked out before anything is
//! written. The store executes it as one transaction, on the condition that the revision is still the one this
//! was worked out for.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::changeset::{Change, Live};
use crate::content::Snapshot;
use crate::entry::EntryKey;
use crate::ids::{EntryId, PackId, VersionId};
use crate::revision::Revision;
use crate::version::{ContentHash, VersionNumber};

/// What is known of an entry at the revision a Changeset is applied to.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryState {
    pub entry_id: EntryId,
    pub live: Option<VersionNumber>,
    /// All its Versions, oldest first.
    pub versions: Vec<KnownVersion>,
    pub pack: Option<PackId>,
    /// The revision at which its live pointer last moved.
    pub moved_at: Revision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownVersion {
    pub number: VersionNumber,
    pub version_id: VersionId,
    pub content_hash: ContentHash,
}

impl EntryState {
    pub fn version(&self, number: VersionNumber) -> Option<&KnownVersion> {
        self.versions.iter().find(|version| version.number == number)
    }
}

/// One entry's part in an application.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    pub key: EntryKey,
    pub entry_id: EntryId,
    pub is_new: bool,
    pub writes: Vec<WrittenVersion>,
    pub from: Option<VersionNumber>,
    pub to: Option<(VersionNumber, VersionId)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WrittenVersion {
    pub version_id: VersionId,
    pub number: VersionNumber,
    pub snapshot: Arc<Snapshot>,
    pub written_at: Option<Timestamp>,
}

/// What happened to an entry, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Added,
    Updated,
    Deleted,
    /// Only its history grew.
    Recorded,
}

impl Move {
    pub fn fate(&self) -> Fate {
        match (self.from, self.to) {
            (None, Some(_)) => Fate::Added,
            (Some(_), None) => Fate::Deleted,
            (Some(from), Some((to, _))) if from != to => Fate::Updated,
            _ => Fate::Recorded,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    #[error("there is no {key}")]
    Unknown { key: EntryKey },
    #[error("{key} has no version {number}")]
    NoVersion { key: EntryKey, number: VersionNumber },
    #[error("version {number} of {key} cannot be live: {flaw}")]
    Flawed { key: EntryKey, number: VersionNumber, flaw: String },
    #[error("the changeset changes {key} twice; list each entry once")]
    Twice { key: EntryKey },
}

/// Works out the moves. A change that would change nothing makes none: same content, same Version.
pub fn plan(
    changes: &[Change],
    known: &HashMap<EntryKey, EntryState>,
    mut entry_ids: impl FnMut() -> EntryId,
    mut version_ids: impl FnMut() -> VersionId,
) -> Result<Vec<Move>, PlanError> {
    let mut seen = std::collections::HashSet::new();
    let mut moves = Vec::with_capacity(changes.len());
    for change in changes {
        if !seen.insert(&change.key) {
            return Err(PlanError::Twice { key: change.key.clone() });
        }
        let planned = plan_one(change, known.get(&change.key), &mut entry_ids, &mut version_ids)?;
        if !planned.writes.is_empty() || planned.from != planned.to.map(|(number, _)| number) {
            moves.push(planned);
        }
    }
    Ok(moves)
}

fn plan_one(
    change: &Change,
    state: Option<&EntryState>,
    entry_ids: &mut impl FnMut() -> EntryId,
    version_ids: &mut impl FnMut() -> VersionId,
) -> Result<Move, PlanError> {
    if state.is_none() && change.adds.is_empty() {
        return Err(PlanError::Unknown { key: change.key.clone() });
    }
    let mut versions: Vec<KnownVersion> = state.map(|state| state.versions.clone()).unwrap_or_default();
    let mut writes = Vec::new();
    let mut numbers = Vec::new();
    for add in &change.adds {
        let content_hash = add.snapshot.hash;
        let same = versions.iter().find(|version| version.content_hash == content_hash);
        let number = match same {
            Some(same) => same.number,
            None => {
                let number =
                    versions.last().map_or(VersionNumber::FIRST, |last| VersionNumber(last.number.0 + 1));
                let version_id = version_ids();
                versions.push(KnownVersion { number, version_id, content_hash });
                writes.push(WrittenVersion {
                    version_id,
                    number,
                    snapshot: Arc::clone(&add.snapshot),
                    written_at: add.written_at,
                });
                number
            }
        };
        numbers.push(number);
    }
    let to = match change.live {
        Live::Nothing => None,
        Live::Existing(number) => Some(number),
        Live::Added(index) => numbers.get(index).copied(),
    };
    Ok(Move {
        key: change.key.clone(),
        entry_id: state.map_or_else(entry_ids, |state| state.entry_id),
        is_new: state.is_none(),
        from: state.and_then(|state| state.live),
        to: to.map(|number| find(change, &versions, number)).transpose()?,
        writes,
    })
}

fn find(
    change: &Change,
    versions: &[KnownVersion],
    number: VersionNumber,
) -> Result<(VersionNumber, VersionId), PlanError> {
    let version = versions.iter().find(|version| version.number == number);
    let version = version.ok_or_else(|| PlanError::NoVersion { key: change.key.clone(), number })?;
    let added = change.adds.iter().find(|add| add.snapshot.hash == version.content_hash);
    if let Some(flaw) = added.and_then(|add| add.snapshot.content.as_function()?.flaw.clone()) {
        return Err(PlanError::Flawed { key: change.key.clone(), number, flaw });
    }
    Ok((version.number, version.version_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changeset::NewVersion;
    use crate::content::Content;
    use crate::entry::EntryKind;
    use crate::graph::GraphContent;
    use uuid::Uuid;

    fn graph(description: &str) -> Content {
        Content::Graph(GraphContent { description: description.to_owned(), ..GraphContent::default() })
    }

    fn put(description: &str) -> Change {
        Change::put("g".parse().unwrap(), graph(description))
    }

    fn run(changes: &[Change], known: &HashMap<EntryKey, EntryState>) -> Result<Vec<Move>, PlanError> {
        let next = std::cell::Cell::new(100_u128);
        let id = || {
            next.set(next.get() + 1);
            Uuid::from_u128(next.get())
        };
        plan(changes, known, || EntryId(id()), || VersionId(id()))
    }

    /// A brain in which `g` has the given versions, the last one live.
    fn brain(descriptions: &[&str]) -> HashMap<EntryKey, EntryState> {
        let versions: Vec<KnownVersion> = descriptions
            .iter()
            .zip(1..)
            .map(|(description, number)| KnownVersion {
                number: VersionNumber(number),
                version_id: VersionId(Uuid::from_u128(number.into())),
                content_hash: Snapshot::of(graph(description)).hash,
            })
            .collect();
        let state = EntryState {
            entry_id: EntryId(Uuid::from_u128(50)),
            live: versions.last().map(|version| version.number),
            versions,
            pack: None,
            moved_at: Revision(1),
        };
        HashMap::from([(EntryKey::new(EntryKind::Graph, "g".parse().unwrap()), state)])
    }

    #[test]
    fn a_first_version_is_number_one_of_a_new_entry() {
        let moves = run(&[put("one")], &HashMap::new()).unwrap();
        assert_eq!((moves[0].is_new, moves[0].fate(), moves[0].writes[0].number.0), (true, Fate::Added, 1));
    }

    #[test]
    fn the_same_content_makes_no_version_and_no_move() {
        assert_eq!(run(&[put("one")], &brain(&["one"])), Ok(vec![]));
    }

    #[test]
    fn going_back_to_an_older_content_moves_the_pointer_to_its_version() {
        let moves = run(&[put("one")], &brain(&["one", "two"])).unwrap();
        assert!(moves[0].writes.is_empty());
        assert_eq!((moves[0].from, moves[0].to.unwrap().0), (Some(VersionNumber(2)), VersionNumber(1)));
    }

    #[test]
    fn a_version_that_does_not_exist_cannot_be_live() {
        let key = EntryKey::new(EntryKind::Graph, "g".parse().unwrap());
        let error = run(&[Change::point(key, VersionNumber(99))], &brain(&["one"])).unwrap_err();
        insta::assert_snapshot!(error, @"graph `g` has no version 99");
    }

    #[test]
    fn what_is_not_there_cannot_be_deleted() {
        let key = EntryKey::new(EntryKind::Graph, "g".parse().unwrap());
        insta::assert_snapshot!(run(&[Change::delete(key)], &HashMap::new()).unwrap_err(), @"there is no graph `g`");
    }

    #[test]
    fn numbers_go_on_after_a_deletion() {
        let mut known = brain(&["one", "two"]);
        known.values_mut().for_each(|state| state.live = None);
        let moves = run(&[put("three")], &known).unwrap();
        assert_eq!((moves[0].writes[0].number.0, moves[0].fate(), moves[0].is_new), (3, Fate::Added, false));
    }

    #[test]
    fn a_history_is_written_in_order_and_any_of_it_may_be_live() {
        let adds = ["a", "b", "a", "c"]
            .map(|text| NewVersion { snapshot: Snapshot::of(graph(text)), written_at: None });
        let key = EntryKey::new(EntryKind::Graph, "g".parse().unwrap());
        let change = Change { key, adds: adds.to_vec(), live: Live::Added(1) };
        let moves = run(&[change], &HashMap::new()).unwrap();
        let numbers: Vec<u32> = moves[0].writes.iter().map(|write| write.number.0).collect();
        assert_eq!((numbers, moves[0].to.unwrap().0), (vec![1, 2, 3], VersionNumber(2)));
    }

    #[test]
    fn an_entry_is_changed_once_in_a_changeset() {
        insta::assert_snapshot!(run(&[put("a"), put("b")], &HashMap::new()).unwrap_err(), @"the changeset changes graph `g` twice; list each entry once");
    }
}
