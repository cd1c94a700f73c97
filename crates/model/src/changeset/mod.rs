//! Changesets: the only way the brain changes. A set of changes with the revision they were based on; what may become
//! of it; and when it conflicts with what was applied meanwhile.

pub mod application;
pub mod check;
pub mod diff;
pub mod document;
pub mod gates;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;

use self::check::{Check, Verdict};
use crate::access::Authority;
use crate::access::actor::Actor;
use crate::access::scope::Scope;
use crate::content::{Content, Snapshot};
use crate::entry::{EntryKey, EntryKind};
use crate::event::{EventKind, NewEvent};
use crate::function::dependency::Role;
use crate::ids::ChangesetId;
use crate::name::EntryName;
use crate::revision::Revision;
use crate::version::VersionNumber;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangesetState {
    Draft,
    Checked,
    Applied,
    Rejected,
    Conflicted,
    Reverted,
}

/// What can happen to a Changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    Check,
    Apply,
    Reject,
    Conflict,
    Revert,
    /// Based again on the present revision.
    Rebase,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.text())]
pub struct IllegalTransition {
    pub state: &'static str,
    pub happening: &'static str,
}

impl IllegalTransition {
    fn text(&self) -> String {
        match self {
            IllegalTransition { state, happening } if state == happening => format!("it is already {state}"),
            IllegalTransition { state, happening } => format!("it is {state}, so it cannot be {happening}"),
        }
    }
}

impl ChangesetState {
    pub const ALL: [ChangesetState; 6] =
        [Self::Draft, Self::Checked, Self::Applied, Self::Rejected, Self::Conflicted, Self::Reverted];

    pub fn as_str(self) -> &'static str {
        match self {
            ChangesetState::Draft => "draft",
            ChangesetState::Checked => "checked",
            ChangesetState::Applied => "applied",
            ChangesetState::Rejected => "rejected",
            ChangesetState::Conflicted => "conflicted",
            ChangesetState::Reverted => "reverted",
        }
    }

    pub fn after(self, happening: Happening) -> Result<ChangesetState, IllegalTransition> {
        use ChangesetState::{Applied, Checked, Conflicted, Draft, Rejected, Reverted};
        match (self, happening) {
            (Draft | Checked, Happening::Check) => Ok(Checked),
            (Checked, Happening::Apply) => Ok(Applied),
            (Draft | Checked | Conflicted, Happening::Reject) => Ok(Rejected),
            (Draft | Checked, Happening::Conflict) => Ok(Conflicted),
            (Applied, Happening::Revert) => Ok(Reverted),
            (Draft | Checked | Conflicted, Happening::Rebase) => Ok(Draft),
            _ => Err(IllegalTransition { state: self.as_str(), happening: happening.participle() }),
        }
    }
}

impl Happening {
    fn participle(self) -> &'static str {
        match self {
            Happening::Check => "checked",
            Happening::Apply => "applied",
            Happening::Reject => "rejected",
            Happening::Conflict => "conflicted",
            Happening::Revert => "reverted",
            Happening::Rebase => "rebased",
        }
    }
}

/// One entry's part in a Changeset.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub key: EntryKey,
    /// The Versions it adds, oldest first; usually one, several when a history is imported.
    pub adds: Vec<NewVersion>,
    pub live: Live,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewVersion {
    pub snapshot: Arc<Snapshot>,
    /// When it was written, where that was not now.
    pub written_at: Option<Timestamp>,
}

/// Where the live pointer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Live {
    /// To one of the added Versions, by index.
    Added(usize),
    /// To a Version the entry has already.
    Existing(VersionNumber),
    /// To none: the entry is deleted, its Versions kept.
    Nothing,
}

impl Change {
    pub fn put(name: EntryName, content: Content) -> Change {
        Change {
            key: EntryKey::new(content.kind(), name),
            adds: vec![NewVersion { snapshot: Snapshot::of(content), written_at: None }],
            live: Live::Added(0),
        }
    }

    pub fn point(key: EntryKey, number: VersionNumber) -> Change {
        Change { key, adds: Vec::new(), live: Live::Existing(number) }
    }

    pub fn delete(key: EntryKey) -> Change {
        Change { key, adds: Vec::new(), live: Live::Nothing }
    }

    /// The added content that becomes live.
    pub fn added_live(&self) -> Option<&Content> {
        match self.live {
            Live::Added(index) => self.adds.get(index).map(|version| &version.snapshot.content),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Changeset {
    pub id: ChangesetId,
    /// How people name it; given by the store when it is first recorded.
    pub number: u64,
    pub state: ChangesetState,
    /// What it is for, in a sentence.
    pub title: String,
    pub base: Revision,
    pub applied: Option<Revision>,
    /// The Changeset it undoes.
    pub reverts: Option<ChangesetId>,
    pub actor: Actor,
    /// What whoever proposed it may do.
    pub authority: Arc<Authority>,
    pub created_at: Timestamp,
    pub decided_by: Option<Actor>,
    pub decided_at: Option<Timestamp>,
    /// What whoever decided may do: what an applied Trigger or Schedule starts has this authority.
    pub decided_authority: Option<Arc<Authority>>,
    /// What whoever decided has to say about it.
    pub comment: Option<String>,
    pub changes: Vec<Change>,
    pub checks: Vec<Check>,
    pub conflicts: Vec<Conflict>,
}

impl Changeset {
    /// Whether someone who may touch these names may know of it: one that changes nothing is about no name.
    pub fn is_visible_to(&self, scope: &Scope) -> bool {
        let is_covered = |change: &Change| scope.covers(change.key.name.as_str());
        scope.is_all() || (!self.changes.is_empty() && self.changes.iter().all(is_covered))
    }

    /// Whether it is the same proposal again: whoever decides about one has decided about the other.
    pub fn proposes_same(&self, other: &Changeset) -> bool {
        let verdicts = |changeset: &Changeset| -> Vec<_> {
            changeset.checks.iter().map(|check| (check.gate, check.verdict)).collect()
        };
        self.title == other.title
            && self.reverts == other.reverts
            && self.authority == other.authority
            && self.changes == other.changes
            && verdicts(self) == verdicts(other)
    }

    /// What others hear of one that waits for somebody, under the number that it gets.
    pub fn proposed_event(&self, number: u64) -> NewEvent {
        let ready = self.failed_checks().next().is_none();
        let waits = if ready { "waits to be applied" } else { "does not pass its checks" };
        NewEvent {
            kind: EventKind::ChangesetProposed,
            source: self.title.clone(),
            data: json!({
                "changeset_id": self.id, "number": number, "ready": ready,
                "message": format!("changeset {number} ({}) {waits}", self.title),
            }),
            actor: self.actor.clone(),
            at: self.created_at,
        }
    }

    /// What others hear of one that somebody rejected.
    pub fn rejected_event(&self, by: &Actor, at: Timestamp) -> NewEvent {
        NewEvent {
            kind: EventKind::ChangesetRejected,
            source: self.title.clone(),
            data: json!({ "changeset_id": self.id, "number": self.number, "comment": self.comment }),
            actor: by.clone(),
            at,
        }
    }

    pub fn failed_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.verdict == Verdict::Failed)
    }
}

/// An entry that a Changeset is based on and that changed after its base revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Conflict {
    #[serde(flatten)]
    pub key: EntryKey,
    pub moved_at: Revision,
    /// Whether the Changeset changes this entry itself, or only calls it.
    pub changed_here: bool,
}

/// The entries whose movement after the base revision makes these changes stale.
pub fn based_on(changes: &[Change]) -> Vec<(EntryKey, bool)> {
    let mut keys: HashMap<EntryKey, bool> = HashMap::new();
    for change in changes {
        for reference in change.added_live().map(Content::references).unwrap_or_default() {
            if let (Role::Calls | Role::Starts, Ok(name)) = (reference.role, EntryName::new(&reference.name))
            {
                keys.entry(EntryKey::new(EntryKind::Function, name)).or_insert(false);
            }
        }
    }
    for change in changes {
        keys.insert(change.key.clone(), true);
    }
    let mut keys: Vec<_> = keys.into_iter().collect();
    keys.sort();
    keys
}

/// What moved, given when each entry's live pointer last did.
pub fn conflicts(
    base: Revision,
    based_on: &[(EntryKey, bool)],
    last_moved: &HashMap<EntryKey, Revision>,
) -> Vec<Conflict> {
    based_on
        .iter()
        .filter_map(|(key, changed_here)| {
            let moved_at = *last_moved.get(key)?;
            (moved_at > base).then(|| Conflict { key: key.clone(), moved_at, changed_here: *changed_here })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_checked_changeset_is_applied_and_only_an_applied_one_reverted() {
        for state in ChangesetState::ALL {
            assert_eq!(state.after(Happening::Apply).is_ok(), state == ChangesetState::Checked);
            assert_eq!(state.after(Happening::Revert).is_ok(), state == ChangesetState::Applied);
        }
    }

    #[test]
    fn what_is_over_stays_over() {
        for state in [ChangesetState::Rejected, ChangesetState::Reverted] {
            for happening in [
                Happening::Check,
                Happening::Apply,
                Happening::Reject,
                Happening::Conflict,
                Happening::Revert,
                Happening::Rebase,
            ] {
                assert!(state.after(happening).is_err());
            }
        }
        insta::assert_snapshot!(ChangesetState::Rejected.after(Happening::Apply).unwrap_err(), @"it is rejected, so it cannot be applied");
        insta::assert_snapshot!(ChangesetState::Applied.after(Happening::Apply).unwrap_err(), @"it is already applied");
    }

    #[test]
    fn movement_after_the_base_conflicts_and_before_it_does_not() {
        let key = |name: &str| EntryKey::function(name.parse().unwrap());
        let based_on = [(key("a"), true), (key("b"), false), (key("c"), false)];
        let moved =
            HashMap::from([(key("a"), Revision(3)), (key("b"), Revision(5)), (key("other"), Revision(9))]);
        assert_eq!(
            conflicts(Revision(3), &based_on, &moved),
            [Conflict { key: key("b"), moved_at: Revision(5), changed_here: false }]
        );
    }

    #[test]
    fn an_entry_that_is_changed_and_called_counts_as_changed() {
        let changes = [Change::delete(EntryKey::function("a".parse().unwrap()))];
        assert_eq!(based_on(&changes), [(EntryKey::function("a".parse().unwrap()), true)]);
    }
}
