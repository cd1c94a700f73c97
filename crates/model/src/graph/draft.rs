//! Drafts: a Graph under work, edited by patches, while callers keep the live Version.
//!
//! Each edit says which one its editor had seen last. What others edited since is compared with it by nodes: edits of
//! different nodes go together, and one of the same node is refused, naming the node and who was quicker. So nobody's
//! edit is lost.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::diff::{GraphDiff, diff};
use super::patch::{Change, Patch, PatchError};
use super::{GraphContent, Node};
use crate::access::Authority;
use crate::access::actor::Actor;
use crate::input::json_size::json_size;
use crate::name::EntryName;
use crate::phrase::list;
use crate::version::VersionNumber;

/// Edits of one request. A program that writes a whole graph imports it instead.
pub const MAX_PATCHES: usize = 10_000;
/// A draft is written whole at each edit.
pub const MAX_BYTES: u64 = 32 << 20;

#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub name: EntryName,
    /// The Version that it began with; none for a Graph that is not stored yet.
    pub base: Option<VersionNumber>,
    /// How often it was edited.
    pub edit: u64,
    pub content: GraphContent,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// One edit, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Edit {
    pub number: u64,
    #[schema(value_type = String)]
    pub actor: Actor,
    /// By which it is judged when the draft is applied. Nobody is shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub authority: Option<Authority>,
    pub at: Timestamp,
    /// Empty if the content was replaced as a whole, or moved to another Version.
    pub patches: Vec<Patch>,
    pub touched: Touched,
    /// The Version that the draft was moved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebased_on: Option<VersionNumber>,
}

/// What an edit changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Touched {
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub nodes: BTreeSet<String>,
    /// Fields of the graph itself.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fields: BTreeSet<String>,
}

/// What came of an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    pub content: GraphContent,
    pub changes: Vec<Change>,
    pub touched: Touched,
}

#[derive(Clone, Debug, PartialEq, Error)]
pub enum DraftError {
    #[error("patch {}: {source}", .index + 1)]
    Patch { index: usize, source: PatchError },
    #[error("there are {count} patches, and one request has at most {MAX_PATCHES}; send them in several")]
    TooMany { count: usize },
    #[error(
        "the draft would have {bytes} bytes, and may have {MAX_BYTES}; put parts of it in graphs of their own"
    )]
    TooLarge { bytes: u64 },
    #[error("{what} changed since edit {seen}: edit {number}, by {who}")]
    Conflict { what: String, seen: u64, who: Actor, number: u64 },
    #[error("it was edited since edit {seen}, by {}, and is at edit {edit}", .who.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Edited { seen: u64, edit: u64, who: Vec<Actor> },
    #[error("the draft is at edit {edit}, so edit {seen} has not happened")]
    Unseen { seen: u64, edit: u64 },
    #[error("edit {seen} is too long ago to compare with: the edits after it are no longer kept")]
    Forgotten { seen: u64 },
    #[error("{what} changed both in the draft and in the live version")]
    Moved { what: String },
    #[error(
        "the draft was replaced as a whole in edit {number}, so its edits cannot be repeated on the live version"
    )]
    Replaced { number: u64 },
}

impl DraftError {
    /// Whether it is because of what others did, and not because of the edit itself.
    pub fn is_conflict(&self) -> bool {
        match self {
            DraftError::Patch { .. } | DraftError::TooMany { .. } | DraftError::TooLarge { .. } => false,
            DraftError::Conflict { .. }
            | DraftError::Edited { .. }
            | DraftError::Unseen { .. }
            | DraftError::Forgotten { .. }
            | DraftError::Moved { .. }
            | DraftError::Replaced { .. } => true,
        }
    }
}

impl Draft {
    /// Whether it is as somebody has seen it. `since` are the edits after that, as far as they are kept.
    pub fn is_at(&self, seen: u64, since: &[Edit]) -> Result<(), DraftError> {
        if seen > self.edit {
            return Err(DraftError::Unseen { seen, edit: self.edit });
        }
        if seen == self.edit {
            return Ok(());
        }
        let mut who: Vec<Actor> = Vec::new();
        for edit in since.iter().filter(|edit| edit.number > seen) {
            if !who.contains(&edit.actor) {
                who.push(edit.actor.clone());
            }
        }
        Err(DraftError::Edited { seen, edit: self.edit, who })
    }

    /// The draft after these patches: all of them, or none. `seen` is the last edit that the editor knows, and `since` are those
    /// after it, as far as they are kept; without `seen`, whatever is there is edited.
    pub fn edited(&self, patches: &[Patch], seen: Option<u64>, since: &[Edit]) -> Result<Edited, DraftError> {
        if patches.len() > MAX_PATCHES {
            return Err(DraftError::TooMany { count: patches.len() });
        }
        let mut content = self.content.clone();
        let mut changes = Vec::with_capacity(patches.len());
        // Of what others have changed a patch may no longer fit, so that is the better thing to say.
        let mut refused = None;
        for (index, patch) in patches.iter().enumerate() {
            match content.patch(patch.clone()) {
                Ok(change) => changes.push(change),
                Err(source) => {
                    refused = Some(DraftError::Patch { index, source });
                    break;
                }
            }
        }
        let mut touched = Touched::of(&diff(&self.content, &content));
        touched.nodes.extend(patches.iter().flat_map(mentioned));
        if let Some(seen) = seen {
            self.compare(&touched, seen, since)?;
        }
        match refused {
            Some(error) => Err(error),
            None => Ok(Edited { content: bounded(content)?, changes, touched }),
        }
    }

    /// The draft with another content, for what is no patch. It touches whatever differs.
    pub fn replaced(
        &self,
        content: GraphContent,
        seen: Option<u64>,
        since: &[Edit],
    ) -> Result<Edited, DraftError> {
        let touched = Touched::of(&diff(&self.content, &content));
        if let Some(seen) = seen {
            self.compare(&touched, seen, since)?;
        }
        Ok(Edited { content: bounded(content)?, changes: Vec::new(), touched })
    }

    fn compare(&self, touched: &Touched, seen: u64, since: &[Edit]) -> Result<(), DraftError> {
        if seen > self.edit {
            return Err(DraftError::Unseen { seen, edit: self.edit });
        }
        if seen < self.edit && since.first().is_none_or(|first| first.number > seen + 1) {
            return Err(DraftError::Forgotten { seen });
        }
        for edit in since.iter().filter(|edit| edit.number > seen) {
            if let Some(what) = touched.shared(&edit.touched) {
                let (who, number) = (edit.actor.clone(), edit.number);
                return Err(DraftError::Conflict { what, seen, who, number });
            }
        }
        Ok(())
    }

    /// The same edits on what is live now. `base` is what the draft began with, and `edits` are all that it had since.
    pub fn rebased(
        &self,
        base: &GraphContent,
        live: &GraphContent,
        edits: &[Edit],
    ) -> Result<GraphContent, DraftError> {
        if let Some(replaced) = edits.iter().find(|edit| edit.patches.is_empty() && edit.rebased_on.is_none())
        {
            return Err(DraftError::Replaced { number: replaced.number });
        }
        if edits.first().map_or(0, |first| first.number) > 1 || (edits.is_empty() && self.edit > 0) {
            return Err(DraftError::Forgotten { seen: 0 });
        }
        let (here, there) = (Touched::of(&diff(base, &self.content)), Touched::of(&diff(base, live)));
        if let Some(what) = here.shared(&there) {
            return Err(DraftError::Moved { what });
        }
        let mut content = live.clone();
        let patches = edits.iter().flat_map(|edit| &edit.patches);
        for (index, patch) in patches.enumerate() {
            content.patch(patch.clone()).map_err(|source| DraftError::Patch { index, source })?;
        }
        Ok(content)
    }
}

impl Touched {
    pub fn of(diff: &GraphDiff) -> Touched {
        Touched {
            nodes: diff.touched().into_iter().map(str::to_owned).collect(),
            fields: diff.fields.iter().map(|change| change.field.clone()).collect(),
        }
    }

    /// What both touch, in words.
    fn shared(&self, other: &Touched) -> Option<String> {
        let nodes: Vec<String> =
            self.nodes.intersection(&other.nodes).map(|node| format!("`{node}`")).collect();
        let fields: Vec<String> =
            self.fields.intersection(&other.fields).map(|field| format!("`{field}`")).collect();
        let (noun, names) = match (nodes.len(), fields.len()) {
            (0, 0) => return None,
            (0, 1) => ("field", fields),
            (0, _) => ("fields", fields),
            (1, _) => ("node", nodes),
            _ => ("nodes", nodes),
        };
        Some(format!("{noun} {}", list(&names, "and")))
    }
}

fn bounded(content: GraphContent) -> Result<GraphContent, DraftError> {
    let bytes = json_size(&content);
    if bytes > MAX_BYTES { Err(DraftError::TooLarge { bytes }) } else { Ok(content) }
}

/// The nodes that a patch names, also those that are no longer there.
fn mentioned(patch: &Patch) -> Vec<String> {
    match patch {
        Patch::Add { node: Node { id, .. }, .. } => vec![id.clone()],
        Patch::Connect { link, .. } => vec![link.from.clone(), link.to.clone()],
        Patch::Disconnect { .. } => Vec::new(),
        Patch::Remove { node }
        | Patch::Set { node, .. }
        | Patch::Unset { node, .. }
        | Patch::Move { node, .. } => vec![node.clone()],
        Patch::SetField { node, .. } | Patch::UnsetField { node, .. } => node.iter().cloned().collect(),
        Patch::Rename { node, to } => vec![node.clone(), to.clone()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft() -> Draft {
        let nodes = ["a", "b", "c"].map(|id| Node::new(id, "@store")).to_vec();
        Draft {
            name: EntryName::new("g").unwrap(),
            base: None,
            edit: 0,
            content: GraphContent { nodes, ..GraphContent::default() },
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn set(node: &str, value: u32) -> Patch {
        Patch::Set { node: node.to_owned(), pin: "input".to_owned(), value: json!(value) }
    }

    /// Applies it as the store would.
    fn apply(
        draft: &mut Draft,
        edits: &mut Vec<Edit>,
        patches: Vec<Patch>,
        seen: Option<u64>,
    ) -> Result<(), String> {
        let edited = draft.edited(&patches, seen, edits).map_err(|error| error.to_string())?;
        draft.edit += 1;
        draft.content = edited.content;
        edits.push(Edit {
            authority: None,
            number: draft.edit,
            actor: Actor::CommandLine,
            at: Timestamp::UNIX_EPOCH,
            patches,
            touched: edited.touched,
            rebased_on: None,
        });
        Ok(())
    }

    #[test]
    fn edits_of_different_nodes_go_together_and_of_the_same_are_refused() {
        let (mut draft, mut edits) = (draft(), Vec::new());
        apply(&mut draft, &mut edits, vec![set("a", 1)], Some(0)).unwrap();
        apply(&mut draft, &mut edits, vec![set("b", 2)], Some(0)).unwrap();
        let error = apply(&mut draft, &mut edits, vec![set("a", 3)], Some(0)).unwrap_err();
        insta::assert_snapshot!(error, @"node `a` changed since edit 0: edit 1, by command_line");
        assert_eq!(draft.content.node("a").unwrap().input["input"], 1);
        apply(&mut draft, &mut edits, vec![set("a", 3)], Some(2)).unwrap();
        apply(&mut draft, &mut edits, vec![set("a", 4)], None).unwrap();
    }

    #[test]
    fn a_node_that_was_removed_meanwhile_is_a_conflict_that_names_it() {
        let (mut draft, mut edits) = (draft(), Vec::new());
        apply(&mut draft, &mut edits, vec![Patch::Remove { node: "a".to_owned() }], Some(0)).unwrap();
        let error = apply(&mut draft, &mut edits, vec![set("a", 3)], Some(0)).unwrap_err();
        assert!(error.starts_with("node `a` changed since edit 0"), "{error}");
        let error = apply(&mut draft, &mut edits, vec![set("a", 3)], Some(1)).unwrap_err();
        insta::assert_snapshot!(error, @"patch 1: the graph has no node `a`");
    }

    #[test]
    fn all_patches_of_a_request_are_applied_or_none() {
        let (mut draft, mut edits) = (draft(), Vec::new());
        let before = draft.content.clone();
        apply(&mut draft, &mut edits, vec![set("a", 1), set("nobody", 2)], None).unwrap_err();
        assert_eq!(draft.content, before);
    }

    #[test]
    fn an_edit_that_nobody_made_or_keeps_is_reported() {
        let (mut draft, mut edits) = (draft(), Vec::new());
        let error = apply(&mut draft, &mut edits, vec![set("a", 1)], Some(7)).unwrap_err();
        insta::assert_snapshot!(error, @"the draft is at edit 0, so edit 7 has not happened");
        apply(&mut draft, &mut edits, vec![set("a", 1)], None).unwrap();
        apply(&mut draft, &mut edits, vec![set("a", 2)], None).unwrap();
        edits.remove(0);
        let error = apply(&mut draft, &mut edits, vec![set("b", 1)], Some(0)).unwrap_err();
        insta::assert_snapshot!(error, @"edit 0 is too long ago to compare with: the edits after it are no longer kept");
    }

    #[test]
    fn a_draft_is_moved_to_what_is_live_now_unless_both_changed_the_same_node() {
        let (mut draft, mut edits) = (draft(), Vec::new());
        let base = draft.content.clone();
        apply(&mut draft, &mut edits, vec![set("a", 1)], None).unwrap();
        let mut live = base.clone();
        live.patch(set("b", 9)).unwrap();
        let moved = draft.rebased(&base, &live, &edits).unwrap();
        assert_eq!((&moved.nodes[0].input["input"], &moved.nodes[1].input["input"]), (&json!(1), &json!(9)));
        live.patch(set("a", 9)).unwrap();
        let error = draft.rebased(&base, &live, &edits).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"node `a` changed both in the draft and in the live version");
    }
}
