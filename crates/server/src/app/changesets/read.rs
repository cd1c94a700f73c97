//! Reads Changesets: lists of them, and what one changes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::changeset::check::Check;
use model::changeset::diff::Diff;
use model::changeset::document;
use model::changeset::{Change, Changeset, ChangesetState, Conflict, Happening, Live};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::revision::Revision;
use serde::{Deserialize, Serialize};
use store::{ChangesetFilter, ChangesetSummary};

use crate::app::functions::names::Names;
use crate::ctx::Ctx;
use crate::error::Error;

/// A Changeset with what it changes, readable.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ChangesetView {
    pub number: u64,
    pub state: ChangesetState,
    pub title: String,
    pub base_revision: Revision,
    pub applied_revision: Option<Revision>,
    pub actor: Actor,
    /// The actor by name.
    pub who: String,
    pub created_at: Timestamp,
    pub decided_by: Option<Actor>,
    /// Who decided, by name.
    pub decider: Option<String>,
    pub decided_at: Option<Timestamp>,
    /// What whoever rejected it has to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    pub checks: Vec<Check>,
    pub conflicts: Vec<Conflict>,
    pub changes: Vec<ChangeView>,
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ChangesetLine {
    #[serde(flatten)]
    pub summary: ChangesetSummary,
    /// The actor by name.
    pub who: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ChangeView {
    #[serde(flatten)]
    pub key: EntryKey,
    /// A readable name.
    pub action: String,
    pub diff: Diff,
}

pub async fn list(
    ctx: &Ctx,
    access: &Access,
    filter: ChangesetFilter,
    limit: u32,
) -> Result<Vec<ChangesetLine>, Error> {
    access.may(Verb::ReadChangesets)?;
    let filter = ChangesetFilter { scope: access.only().clone(), ..filter };
    let list = ctx.store.changesets(&filter, limit).await?;
    let names = Names::of_actors(ctx, access, list.iter().map(|one| &one.actor)).await?;
    Ok(list.into_iter().map(|summary| ChangesetLine { who: names.who(&summary.actor), summary }).collect())
}

pub async fn show(ctx: &Ctx, access: &Access, number: u64) -> Result<ChangesetView, Error> {
    let changeset = find(ctx, access, number).await?;
    let before = changeset.applied.map_or(changeset.base, Revision::previous);
    let mut changes = Vec::new();
    let along = taken_along(ctx, access, &changeset).await?;
    let stated = changeset.changes.iter().map(|change| (change, false));
    for (change, is_along) in stated.chain(along.iter().map(|change| (change, true))) {
        // What goes along is what is there now, and may not have been when it was proposed.
        let old = match is_along {
            true => ctx.store.live_version(&change.key).await?,
            false => ctx.store.version_as_of(&change.key, before).await?,
        };
        let old = old.map(|version| version.content);
        let new = match change.live {
            Live::Existing(number) => {
                ctx.store.version(&change.key, number).await?.map(|version| version.content)
            }
            _ => change.added_live().cloned(),
        };
        let action = match (&old, &new) {
            (None, _) => "add",
            (Some(_), None) => "delete",
            (Some(_), Some(_)) => "update",
        };
        changes.push(ChangeView {
            key: change.key.clone(),
            action: action.to_owned(),
            diff: difference(old.as_ref(), new.as_ref()),
        });
    }
    let actors = [&changeset.actor].into_iter().chain(&changeset.decided_by);
    let names = Names::of_actors(ctx, access, actors).await?;
    Ok(ChangesetView {
        number,
        state: changeset.state,
        title: changeset.title,
        base_revision: changeset.base,
        applied_revision: changeset.applied,
        who: names.who(&changeset.actor),
        decider: changeset.decided_by.as_ref().map(|actor| names.who(actor)),
        actor: changeset.actor,
        created_at: changeset.created_at,
        decided_by: changeset.decided_by,
        decided_at: changeset.decided_at,
        comment: changeset.comment,
        checks: changeset.checks.into_iter().map(|check| seen(access, check)).collect(),
        conflicts: seen_conflicts(access, changeset.conflicts),
        changes,
    })
}

/// What would be deleted with the Functions and Graphs that go, if it were applied now: the Triggers and Schedules that start them. Its author
/// may not have seen them.
async fn taken_along(ctx: &Ctx, access: &Access, changeset: &Changeset) -> Result<Vec<Change>, Error> {
    let is_gone = |change: &&Change| {
        change.live == Live::Nothing && matches!(change.key.kind, EntryKind::Function | EntryKind::Graph)
    };
    let gone = changeset.changes.iter().filter(is_gone).map(|change| change.key.name.to_string());
    let gone: Vec<String> = gone.collect();
    if gone.is_empty() || changeset.state.after(Happening::Apply).is_err() {
        return Ok(Vec::new());
    }
    let referrers = ctx.store.referrers(EntryKind::Function, &gone, access.only()).await?.into_iter();
    let starters = referrers.filter(|(_, role, _)| *role == Role::Starts).map(|(_, _, who)| who);
    let starters: BTreeSet<EntryKey> =
        starters.filter(|who| changeset.changes.iter().all(|change| change.key != *who)).collect();
    Ok(starters.into_iter().map(Change::delete).collect())
}

/// What is found about entries outside was found for someone who may see them.
fn seen(access: &Access, mut check: Check) -> Check {
    check.findings.retain(|finding| access.covers(finding.entry.name.as_str()));
    check
}

fn seen_conflicts(access: &Access, mut conflicts: Vec<Conflict>) -> Vec<Conflict> {
    conflicts.retain(|conflict| access.covers(conflict.key.name.as_str()));
    conflicts
}

/// Between two contents, over the texts in which they are exported.
pub(crate) fn difference(old: Option<&Content>, new: Option<&Content>) -> Diff {
    let text = |content: Option<&Content>| content.map(document::text).unwrap_or_default();
    Diff::between(&text(old), &text(new))
}

/// One that changes something outside is not there.
pub async fn find(ctx: &Ctx, access: &Access, number: u64) -> Result<Changeset, Error> {
    access.may(Verb::ReadChangesets)?;
    let found = ctx.store.changeset_by_number(number).await?;
    found
        .filter(|changeset| changeset.is_visible_to(access.only()))
        .ok_or(Error::ChangesetNotFound { number })
}

/// Of the Changeset that made a revision.
pub async fn number_of(ctx: &Ctx, access: &Access, revision: Revision) -> Result<u64, Error> {
    access.may_touch_all(Verb::ReadChangesets)?;
    match ctx.store.changeset_by_revision(revision).await? {
        Some(changeset) => Ok(changeset.number),
        None => Err(Error::RevisionNotFound { revision, now: ctx.store.revision().await? }),
    }
}
