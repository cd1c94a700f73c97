//! Changesets: propose, check, apply, reject, revert, rebase; or all in one request for what a person does by hand.

pub(crate) mod application;
pub(crate) mod checks;
pub mod drafts;
pub(crate) mod graph_checks;
mod policy;
pub(crate) mod sources;
pub(crate) mod start_checks;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::policy::ProposalPolicy;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::changeset::check::{Check, Verdict};
use model::changeset::diff::Diff;
use model::changeset::document;
use model::changeset::{Changeset, ChangesetState, Conflict, Happening, Live, based_on, conflicts};
use model::content::Content;
use model::entry::EntryKey;
use model::revision::Revision;
use serde::{Deserialize, Serialize};
use store::{ChangesetFilter, ChangesetSummary};

pub use self::application::{Applied, Moved};
use self::application::{finish, moves};
use self::checks::Asked;
use self::drafts::{Drafted, Intent, Proposal, draft, redraft};
use super::functions::names::Names;
use super::functions::test_results::TestResults;
use crate::ctx::Ctx;
use crate::error::Error;

/// How often a Changeset is worked out anew when others were quicker. Each time at least one of them went on.
const ATTEMPTS: usize = 64;

/// How often tests are run outside of a Changeset's turn because what they execute has changed since.
const LOSSES: usize = 3;

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

/// Drafts, checks and applies in one go.
pub async fn register(ctx: &Ctx, access: &Access, proposal: &Proposal) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    touches(access, proposal)?;
    in_turn(ctx, access, Wanted::Registered(proposal)).await
}

/// What somebody wants to be applied.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Registered(&'a Proposal),
    Applied(u64),
    Reverted(u64),
}

/// Works a Changeset out and applies it, in turn with others of this process. Its tests run outside of its turn, so that a slow one
/// holds up nobody, and what it executed may have changed by the next turn; then that test runs again. After a few losses the turn
/// is held while they run, so that the Changeset gets done.
async fn in_turn(ctx: &Ctx, access: &Access, wanted: Wanted<'_>) -> Result<Applied, Error> {
    let (mut results, mut losses) = (TestResults::deferred(), 0);
    for _ in 0..ATTEMPTS {
        let turn = ctx.applying.lock().await;
        if losses > LOSSES {
            results.run_when_needed();
        }
        match try_once(ctx, access, wanted, &mut results).await {
            Ok(Some(applied)) => return Ok(applied),
            Ok(None) => {
                drop(turn);
                results.run_missing(ctx).await?;
                losses += 1;
            }
            Err(error) if error.is_stale() => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Contended)
}

/// None if tests have to be run first.
async fn try_once(
    ctx: &Ctx,
    access: &Access,
    wanted: Wanted<'_>,
    results: &mut TestResults,
) -> Result<Option<Applied>, Error> {
    match wanted {
        Wanted::Registered(proposal) => {
            let drafted = draft(ctx, access, proposal).await?;
            register_drafted(ctx, access, proposal, drafted, results).await
        }
        Wanted::Applied(number) => try_apply(ctx, access, number, results).await,
        Wanted::Reverted(number) => try_revert(ctx, access, number, results).await,
    }
}

async fn register_drafted(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    drafted: Drafted,
    results: &mut TestResults,
) -> Result<Option<Applied>, Error> {
    covers(access, &drafted)?;
    let checks = checks::run(ctx, access, &drafted, Asked::ToApply, results).await?;
    if !results.is_complete() {
        return Ok(None);
    }
    let mut changeset = fresh(ctx, access, proposal, &drafted, passed(checks, None)?);
    changeset.state = ChangesetState::Checked;
    changeset.decided_authority = kept_authority(ctx, proposal, &drafted).await?;
    if asks(&changeset.checks) {
        return Err(left_to_others(ctx, changeset, drafted).await?);
    }
    finish(ctx, access, changeset, drafted, proposal.pack.as_ref(), None).await.map(Some)
}

/// Drafts and checks, and leaves it to someone to apply or reject it.
pub async fn propose(ctx: &Ctx, access: &Access, proposal: &Proposal) -> Result<Changeset, Error> {
    access.may(Verb::ProposeChangeset)?;
    touches(access, proposal)?;
    if let Some(id) = proposal.id()
        && let Some(first) = ctx.store.changeset(id).await?
    {
        return Ok(first);
    }
    let drafted = draft(ctx, access, proposal).await?;
    covers(access, &drafted)?;
    let checks = checks::run(ctx, access, &drafted, Asked::ToRead, &mut TestResults::default()).await?;
    if moves(ctx, &drafted)?.is_empty() {
        return Err(Error::Input {
            problem: "the changeset would change nothing".to_owned(),
            hint: "what it proposes is already live".to_owned(),
        });
    }
    let mut changeset = fresh(ctx, access, proposal, &drafted, checks);
    changeset.changes = drafted.changes;
    changeset.state = ChangesetState::Checked;
    changeset.number = ctx.store.record_changeset(&changeset).await?;
    Ok(changeset)
}

/// Whether anything would be different.
pub(crate) async fn would_change(ctx: &Ctx, access: &Access, proposal: &Proposal) -> Result<bool, Error> {
    access.may(Verb::ProposeChangeset)?;
    touches(access, proposal)?;
    let drafted = draft(ctx, access, proposal).await?;
    Ok(!moves(ctx, &drafted)?.is_empty())
}

/// The checks a Changeset would get.
pub async fn check(ctx: &Ctx, access: &Access, proposal: &Proposal) -> Result<Vec<Check>, Error> {
    access.may(Verb::ProposeChangeset)?;
    touches(access, proposal)?;
    let drafted = draft(ctx, access, proposal).await?;
    checks::run(ctx, access, &drafted, Asked::ToRead, &mut TestResults::default()).await
}

/// Names that are stated are judged before the brain is looked at, so that a refusal tells nothing of what is there.
fn touches(access: &Access, proposal: &Proposal) -> Result<(), Error> {
    for name in proposal.intents.iter().filter_map(Intent::name) {
        access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    }
    Ok(())
}

/// Nothing outside is changed, also not along with something else.
fn covers(access: &Access, drafted: &Drafted) -> Result<(), Error> {
    for change in &drafted.changes {
        access.may_touch(Verb::ProposeChangeset, change.key.name.as_str())?;
    }
    Ok(())
}

/// What is only switched on or off goes on by the authority it had.
async fn kept_authority(
    ctx: &Ctx,
    proposal: &Proposal,
    drafted: &Drafted,
) -> Result<Option<Arc<Authority>>, Error> {
    let [Intent::Switch(key, _)] = proposal.intents.as_slice() else { return Ok(None) };
    let Some(state) = drafted.snapshot.entries.get(key) else { return Ok(None) };
    Ok(ctx.store.appliers(&[state.entry_id]).await?.remove(&state.entry_id).map(Arc::new))
}

/// Whether someone else has to apply it.
fn asks(checks: &[Check]) -> bool {
    checks.iter().any(|check| check.verdict == Verdict::Asks)
}

/// What its author may not apply is proposed.
async fn left_to_others(ctx: &Ctx, mut changeset: Changeset, drafted: Drafted) -> Result<Error, Error> {
    changeset.changes = drafted.changes;
    let number = ctx.store.record_changeset(&changeset).await?;
    Ok(Error::NeedsApproval { number, checks: changeset.checks })
}

/// What a Run proposes, treated as the policy says.
pub async fn propose_by_policy(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    policy: ProposalPolicy,
) -> Result<Changeset, Error> {
    if policy == ProposalPolicy::Never {
        return Err(Error::Input {
            problem: "this server does not let runs change the brain".to_owned(),
            hint: "a person can add the functions, or set `changesets = \"ask\"` in its configuration"
                .to_owned(),
        });
    }
    let changeset = propose(ctx, access, proposal).await?;
    let passed = |check: &Check| !matches!(check.verdict, Verdict::Failed | Verdict::Asks);
    let is_ready = changeset.state == ChangesetState::Checked && changeset.checks.iter().all(passed);
    if policy == ProposalPolicy::Auto && is_ready {
        apply(ctx, access, changeset.number).await?;
        return find(ctx, access, changeset.number).await;
    }
    Ok(changeset)
}

/// Applies a proposed Changeset, unless what it is based on has moved or it no longer passes its checks.
pub async fn apply(ctx: &Ctx, access: &Access, number: u64) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    in_turn(ctx, access, Wanted::Applied(number)).await
}

async fn try_apply(
    ctx: &Ctx,
    access: &Access,
    number: u64,
    results: &mut TestResults,
) -> Result<Option<Applied>, Error> {
    let mut changeset = find(ctx, access, number).await?;
    let was = changeset.state;
    was.after(Happening::Apply).map_err(|source| Error::Transition { number, source })?;
    let drafted = redraft(ctx, access, &changeset).await?;
    covers(access, &drafted)?;
    changeset.conflicts = conflicts(changeset.base, &based_on(&changeset.changes), &last_moved(&drafted));
    if !changeset.conflicts.is_empty() {
        let conflicts = changeset.conflicts.clone();
        decide(ctx, access, changeset, Happening::Conflict).await?;
        return Err(Error::Conflicted { number, conflicts });
    }
    let checks = checks::run(ctx, access, &drafted, Asked::ToApply, results).await?;
    if !results.is_complete() {
        return Ok(None);
    }
    changeset.checks = passed(checks, Some(number))?;
    if asks(&changeset.checks) {
        return Err(Error::NeedsApproval { number, checks: changeset.checks });
    }
    finish(ctx, access, changeset, drafted, None, Some(was)).await.map(Some)
}

pub async fn reject(ctx: &Ctx, access: &Access, number: u64) -> Result<(), Error> {
    access.may(Verb::RejectChangeset)?;
    let changeset = find(ctx, access, number).await?;
    decide(ctx, access, changeset, Happening::Reject).await
}

/// Bases a Changeset on the brain as it is now, and checks it again.
pub async fn rebase(ctx: &Ctx, access: &Access, number: u64) -> Result<Changeset, Error> {
    access.may(Verb::ProposeChangeset)?;
    let mut changeset = find(ctx, access, number).await?;
    let was = changeset.state;
    changeset.state = was.after(Happening::Rebase).map_err(|source| Error::Transition { number, source })?;
    let drafted = redraft(ctx, access, &changeset).await?;
    changeset.base = drafted.snapshot.revision;
    changeset.checks = checks::run(ctx, access, &drafted, Asked::ToRead, &mut TestResults::default()).await?;
    changeset.conflicts.clear();
    (changeset.decided_by, changeset.decided_at, changeset.decided_authority) = (None, None, None);
    changeset.state =
        changeset.state.after(Happening::Check).map_err(|source| Error::Transition { number, source })?;
    ctx.store.decide_changeset(&changeset, was).await?;
    Ok(changeset)
}

/// Undoes an applied Changeset by a new one, unless something it changed has moved since.
pub async fn revert(ctx: &Ctx, access: &Access, number: u64) -> Result<Applied, Error> {
    access.may(Verb::RevertChangeset)?;
    in_turn(ctx, access, Wanted::Reverted(number)).await
}

async fn try_revert(
    ctx: &Ctx,
    access: &Access,
    number: u64,
    results: &mut TestResults,
) -> Result<Option<Applied>, Error> {
    let changeset = find(ctx, access, number).await?;
    changeset.state.after(Happening::Revert).map_err(|source| Error::Transition { number, source })?;
    let applied = changeset.applied.unwrap_or_default();

    let undone = ctx.store.moves_at(applied).await?;
    let moved = undone.iter().map(|moved| (moved.key.clone(), moved.last_moved_at)).collect();
    let undone_keys: Vec<(EntryKey, bool)> = undone.iter().map(|moved| (moved.key.clone(), true)).collect();
    unmoved_since(number, applied, &undone_keys, &moved)?;
    let intents = undone
        .into_iter()
        .filter(|moved| moved.from != moved.to)
        .map(|moved| match moved.from {
            Some(before) => Intent::Use(moved.key, before),
            None => Intent::Delete(moved.key),
        })
        .collect();
    let title = format!("revert changeset {number}: {}", changeset.title);
    let proposal = Proposal { reverts: Some(changeset.id), ..Proposal::of(title, intents) };
    let drafted = draft(ctx, access, &proposal).await?;
    // Once more, at the moment that the application is guarded by: someone may have been quick.
    unmoved_since(number, applied, &undone_keys, &last_moved(&drafted))?;
    register_drafted(ctx, access, &proposal, drafted, results).await
}

fn unmoved_since(
    number: u64,
    applied: Revision,
    undone: &[(EntryKey, bool)],
    moved: &HashMap<EntryKey, Revision>,
) -> Result<(), Error> {
    let conflicts = conflicts(applied, undone, moved);
    if conflicts.is_empty() { Ok(()) } else { Err(Error::MovedSince { number, conflicts }) }
}

fn last_moved(drafted: &Drafted) -> HashMap<EntryKey, Revision> {
    drafted.snapshot.entries.iter().map(|(key, state)| (key.clone(), state.moved_at)).collect()
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
    for change in &changeset.changes {
        let old = ctx.store.version_as_of(&change.key, before).await?.map(|version| version.content);
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
        checks: changeset.checks.into_iter().map(|check| seen(access, check)).collect(),
        conflicts: seen_conflicts(access, changeset.conflicts),
        changes,
    })
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

fn passed(checks: Vec<Check>, number: Option<u64>) -> Result<Vec<Check>, Error> {
    if checks.iter().any(|check| check.verdict == Verdict::Failed) {
        Err(Error::ChecksFailed { checks, number })
    } else {
        Ok(checks)
    }
}

fn fresh(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    drafted: &Drafted,
    checks: Vec<Check>,
) -> Changeset {
    let title = if proposal.title.is_empty() { made_up_title(drafted) } else { proposal.title.clone() };
    Changeset {
        id: proposal.id().unwrap_or_else(|| ctx.ids.changeset()),
        number: 0,
        state: ChangesetState::Draft,
        title,
        base: drafted.snapshot.revision,
        applied: None,
        reverts: proposal.reverts,
        actor: access.actor.clone(),
        authority: Arc::clone(&access.authority),
        created_at: ctx.clock.now(),
        decided_by: None,
        decided_at: None,
        decided_authority: None,
        changes: Vec::new(),
        checks,
        conflicts: Vec::new(),
    }
}

fn made_up_title(drafted: &Drafted) -> String {
    match drafted.changes.as_slice() {
        [] => "nothing".to_owned(),
        [change] => {
            let state = drafted.snapshot.entries.get(&change.key);
            let verb = match (change.live, state.and_then(|state| state.live)) {
                (Live::Nothing, _) => "delete",
                (_, Some(_)) => "update",
                (_, None) => "add",
            };
            format!("{verb} {}", change.key.name)
        }
        [first, rest @ ..] => format!("change {} and {} more", first.key.name, rest.len()),
    }
}

async fn decide(
    ctx: &Ctx,
    access: &Access,
    mut changeset: Changeset,
    happening: Happening,
) -> Result<(), Error> {
    let was = changeset.state;
    let number = changeset.number;
    changeset.state = was.after(happening).map_err(|source| Error::Transition { number, source })?;
    changeset.decided_by = Some(access.actor.clone());
    changeset.decided_at = Some(ctx.clock.now());
    changeset.decided_authority = Some(Arc::clone(&access.authority));
    Ok(ctx.store.decide_changeset(&changeset, was).await?)
}
