//! Changesets: propose, check, apply, reject, revert, rebase; or all in one request for what a person does by hand.

pub(crate) mod application;
pub(crate) mod checks;
mod condition_checks;
pub mod drafts;
mod fit_checks;
mod gates;
pub(crate) mod graph_checks;
mod policy;
mod preset_checks;
mod read;
mod revert;
mod secret_checks;
pub(crate) mod sources;
pub(crate) mod start_checks;
pub(crate) mod workspace;

use std::collections::HashMap;
use std::sync::Arc;

use model::access::policy::ProposalPolicy;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::changeset::check::{Check, Verdict};
use model::changeset::{Change, Changeset, ChangesetState, Happening, Live, based_on, conflicts};
use model::entry::EntryKey;
use model::revision::Revision;
use store::ChangesetFilter;

pub use self::application::{Applied, Moved};
use self::application::{finish, moves};
use self::checks::CheckPurpose;
use self::drafts::{Drafted, Intent, Proposal, draft, redraft};
pub(crate) use self::read::difference;
pub use self::read::{ChangeView, ChangesetLine, ChangesetView, find, list, number_of, show};
use self::revert::try_revert;
use super::functions::test_results::TestResults;
use crate::ctx::Ctx;
use crate::error::Error;

/// How often a Changeset is worked out anew when others were quicker. Each time at least one of them went on.
const ATTEMPTS: usize = 64;

/// How often tests and gates are run outside of a Changeset's turn, first because nothing is known and then because what they execute has
/// changed since.
const LOSSES: usize = 5;

/// A comment is stored with the Changeset and handed to whoever proposed it.
const COMMENT_BYTES: usize = 8 << 10;

/// Among so many of the newest that wait, one is looked for that proposes the same.
const COMPARED: u32 = 100;

/// What becomes of stored callers, triggers, schedules and graphs that a Changeset would break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breakage {
    /// It fails its checks.
    #[default]
    Refused,
    /// It is applied all the same, and its checks say so.
    Accepted,
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
    Applied(u64, Breakage),
    Reverted(u64, Breakage),
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
        Wanted::Applied(number, breakage) => try_apply(ctx, access, number, breakage, results).await,
        Wanted::Reverted(number, breakage) => try_revert(ctx, access, number, breakage, results).await,
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
    let asked = CheckPurpose::ToApply(proposal.breakage);
    let mut checks = checks::run(ctx, access, access, &drafted, asked, results).await?;
    for editor in &proposal.editors {
        let check = checks::policy_for(ctx, editor, &drafted, asked).await?;
        checks.extend((check.verdict == Verdict::Asks).then_some(check));
    }
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
    propose_unless(ctx, access, proposal, |_| false).await
}

/// The same, but nobody hears of one that the caller will apply at once.
async fn propose_unless(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    will_apply: impl Fn(&Changeset) -> bool,
) -> Result<Changeset, Error> {
    access.may(Verb::ProposeChangeset)?;
    touches(access, proposal)?;
    if let Some(id) = proposal.id()
        && let Some(first) = ctx.store.changeset(id).await?
    {
        return Ok(first);
    }
    let drafted = draft(ctx, access, proposal).await?;
    covers(access, &drafted)?;
    let mut results = TestResults::default();
    let checks = checks::run(ctx, access, access, &drafted, CheckPurpose::ToRead, &mut results).await?;
    if moves(ctx, &drafted)?.is_empty() {
        return Err(Error::Input {
            problem: "the changeset would change nothing".to_owned(),
            hint: "what it proposes is already live".to_owned(),
        });
    }
    let mut changeset = fresh(ctx, access, proposal, &drafted, checks);
    let moved = last_moved(&drafted);
    changeset.changes = drafted.changes;
    changeset.state = ChangesetState::Checked;
    if !will_apply(&changeset) {
        return waiting(ctx, changeset, &moved).await;
    }
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
    checks::run(ctx, access, access, &drafted, CheckPurpose::ToRead, &mut TestResults::default()).await
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
    let moved = last_moved(&drafted);
    changeset.changes = drafted.changes;
    let Changeset { number, checks, .. } = waiting(ctx, changeset, &moved).await?;
    Ok(Error::NeedsApproval { number, checks })
}

/// Records one that waits for somebody, and says so. If the same one waits already, that is it: whoever proposes again and again,
/// such as a program that stores its functions when it starts, leaves one thing to decide.
async fn waiting(
    ctx: &Ctx,
    mut changeset: Changeset,
    moved: &HashMap<EntryKey, Revision>,
) -> Result<Changeset, Error> {
    if let Some(same) = same_waiting(ctx, &changeset, moved).await? {
        return Ok(same);
    }
    changeset.number =
        ctx.store.record_proposal(&changeset, |number| changeset.proposed_event(number)).await?;
    Ok(changeset)
}

/// One that waits, by the same authority, with the same changes and verdicts, unless what it is based on has changed.
async fn same_waiting(
    ctx: &Ctx,
    changeset: &Changeset,
    moved: &HashMap<EntryKey, Revision>,
) -> Result<Option<Changeset>, Error> {
    let filter = ChangesetFilter { state: Some(ChangesetState::Checked), ..ChangesetFilter::default() };
    for summary in ctx.store.changesets(&filter, COMPARED).await? {
        let is_alike =
            summary.title == changeset.title && summary.changes as usize == changeset.changes.len();
        if !is_alike {
            continue;
        }
        let Some(other) = ctx.store.changeset_by_number(summary.number).await? else { continue };
        if other.proposes_same(changeset)
            && conflicts(other.base, &based_on(&other.changes), moved).is_empty()
        {
            return Ok(Some(other));
        }
    }
    Ok(None)
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
    let passed = |check: &Check| !matches!(check.verdict, Verdict::Failed | Verdict::Asks);
    let will_apply = |changeset: &Changeset| {
        policy == ProposalPolicy::Auto
            && changeset.state == ChangesetState::Checked
            && changeset.checks.iter().all(passed)
    };
    let changeset = propose_unless(ctx, access, proposal, will_apply).await?;
    if will_apply(&changeset) {
        apply(ctx, access, changeset.number, Breakage::Refused).await?;
        return find(ctx, access, changeset.number).await;
    }
    Ok(changeset)
}

/// Applies a proposed Changeset, unless what it is based on has moved or it no longer passes its checks.
pub async fn apply(ctx: &Ctx, access: &Access, number: u64, breakage: Breakage) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    in_turn(ctx, access, Wanted::Applied(number, breakage)).await
}

async fn try_apply(
    ctx: &Ctx,
    access: &Access,
    number: u64,
    breakage: Breakage,
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
    let (author, purpose) = (author(&changeset), CheckPurpose::ToApply(breakage));
    let checks = checks::run(ctx, &author, access, &drafted, purpose, results).await?;
    if !results.is_complete() {
        return Ok(None);
    }
    changeset.checks = passed(checks, Some(number))?;
    if asks(&changeset.checks) {
        return Err(Error::NeedsApproval { number, checks: changeset.checks });
    }
    finish(ctx, access, changeset, drafted, None, Some(was)).await.map(Some)
}

/// Whoever proposed it hears the comment.
pub async fn reject(ctx: &Ctx, access: &Access, number: u64, comment: Option<&str>) -> Result<(), Error> {
    access.may(Verb::RejectChangeset)?;
    let mut changeset = find(ctx, access, number).await?;
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    if comment.is_some_and(|comment| comment.len() > COMMENT_BYTES) {
        return Err(Error::Input {
            problem: format!("the comment is longer than {COMMENT_BYTES} bytes"),
            hint: "say what has to be different in a few sentences".to_owned(),
        });
    }
    let redaction = ctx.redaction_for(&[&access.authority]).await?;
    changeset.comment = comment.map(|comment| redaction.text(comment).into_owned());
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
    let mut results = TestResults::default();
    let author = author(&changeset);
    changeset.checks =
        checks::run(ctx, &author, access, &drafted, CheckPurpose::ToRead, &mut results).await?;
    changeset.conflicts.clear();
    (changeset.decided_by, changeset.decided_at, changeset.decided_authority) = (None, None, None);
    changeset.comment = None;
    changeset.state =
        changeset.state.after(Happening::Check).map_err(|source| Error::Transition { number, source })?;
    ctx.store.decide_changeset(&changeset, was, &[]).await?;
    Ok(changeset)
}

/// Undoes an applied Changeset by a new one, unless something it changed has moved since.
pub async fn revert(ctx: &Ctx, access: &Access, number: u64, breakage: Breakage) -> Result<Applied, Error> {
    access.may(Verb::RevertChangeset)?;
    in_turn(ctx, access, Wanted::Reverted(number, breakage)).await
}

/// Who proposed it, with what they might do then.
fn author(changeset: &Changeset) -> Access {
    Access { actor: changeset.actor.clone(), authority: Arc::clone(&changeset.authority) }
}

fn last_moved(drafted: &Drafted) -> HashMap<EntryKey, Revision> {
    drafted.snapshot.entries.iter().map(|(key, state)| (key.clone(), state.moved_at)).collect()
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
        comment: None,
        changes: Vec::new(),
        checks,
        conflicts: Vec::new(),
    }
}

fn made_up_title(drafted: &Drafted) -> String {
    let Some(first) = drafted.changes.first() else { return "nothing".to_owned() };
    let verb = verb(drafted, first);
    let rest = &drafted.changes[1..];
    if rest.is_empty() {
        return format!("{verb} {}", first.key.name);
    }
    let verb = if rest.iter().all(|change| self::verb(drafted, change) == verb) { verb } else { "change" };
    format!("{verb} {} and {} more", first.key.name, rest.len())
}

fn verb(drafted: &Drafted, change: &Change) -> &'static str {
    let state = drafted.snapshot.entries.get(&change.key);
    match (change.live, state.and_then(|state| state.live)) {
        (Live::Nothing, _) => "delete",
        (_, Some(_)) => "update",
        (_, None) => "add",
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
    let is_rejected = happening == Happening::Reject;
    let event = is_rejected.then(|| changeset.rejected_event(&access.actor, ctx.clock.now()));
    Ok(ctx.store.decide_changeset(&changeset, was, event.as_slice()).await?)
}
