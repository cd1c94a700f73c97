//! The gate `policy`: gathers what the rule needs to know about each change, and applies it.

use std::collections::HashSet;

use model::access::Access;
use model::access::actor::Actor;
use model::access::grants::Grants;
use model::access::policy::{self, Reach};
use model::access::scope::Scope;
use model::changeset::check::{Check, Outcome};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::version::Version;

use super::checks::CheckPurpose;
use super::drafts::Drafted;
use crate::ctx::Ctx;
use crate::error::Error;

pub(super) async fn check(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
    asked: CheckPurpose,
) -> Result<Check, Error> {
    let is_run = matches!(access.actor, Actor::Run(_));
    let mut live = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let is_live = drafted.snapshot.entries.get(outcome.key).is_some_and(|state| state.live.is_some());
        // Only what a proposal tells, or asks for, is read.
        let is_read = is_live && (is_run || asked == CheckPurpose::ToRead);
        live.push(if is_read { ctx.store.live_version(outcome.key).await? } else { None });
    }
    let outside = used_outside(ctx, access, outcomes).await?;
    // Whoever may give everything, and is no Run, need not be told what the code comes to hold.
    let is_asked = is_run || !access.authority.grants.is_all();
    let mut lent = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        lent.push(if is_asked {
            lent_by_callers(ctx, outcome.key, outcomes).await?
        } else {
            Grants::default()
        });
    }
    let mut reaches = Vec::with_capacity(outcomes.len());
    for ((outcome, live), lent) in outcomes.iter().zip(&live).zip(&lent) {
        reaches.push(Reach {
            lent,
            key: outcome.key,
            before: live.as_ref().map(|version| &version.content),
            after: outcome.after,
            is_used_outside: outside.contains(outcome.key),
            is_of_others: match live {
                Some(version) if is_run => is_of_others(ctx, access, version).await?,
                _ => false,
            },
        });
    }
    Ok(match asked {
        CheckPurpose::ToApply(_) => policy::check(access, &reaches),
        CheckPurpose::ToRead => policy::describe(access, &reaches),
    })
}

/// A Run replaces what Runs of the same holder wrote, and what the settings name.
async fn is_of_others(ctx: &Ctx, access: &Access, live: &Version) -> Result<bool, Error> {
    let name = live.head.key.name.as_str();
    if ctx.engine.config.changesets_replace.covers(name) {
        return Ok(false);
    }
    let author = ctx.store.changeset_authority(live.head.changeset_id).await?;
    let is_own = matches!(live.head.written_by, Actor::Run(_))
        && author.is_some_and(|author| author.holder == access.authority.holder);
    Ok(!is_own)
}

/// The grants of all that call a function once the changes are applied, however indirectly.
async fn lent_by_callers(ctx: &Ctx, key: &EntryKey, outcomes: &[Outcome<'_>]) -> Result<Grants, Error> {
    let mut grants = Grants::default();
    let mut seen: HashSet<EntryKey> = HashSet::from([key.clone()]);
    let mut next = vec![key.name.to_string()];
    while !next.is_empty() {
        let mut callers: HashSet<EntryKey> = HashSet::new();
        for (_, role, who) in ctx.store.referrers(EntryKind::Function, &next, &Scope::All).await? {
            callers.extend((role == Role::Calls).then_some(who));
        }
        for outcome in outcomes {
            let called = outcome.after.and_then(Content::as_function).map(|content| &content.dependencies);
            if called.is_some_and(|called| called.iter().any(|one| next.contains(&one.function))) {
                callers.insert(outcome.key.clone());
            }
        }
        next.clear();
        for caller in callers {
            if !seen.insert(caller.clone()) {
                continue;
            }
            next.push(caller.name.to_string());
            let changed = outcomes.iter().find(|outcome| *outcome.key == caller);
            let stored = if changed.is_none() { ctx.store.live_version(&caller).await? } else { None };
            let content = changed
                .and_then(|outcome| outcome.after)
                .or(stored.as_ref().map(|version| &version.content))
                .and_then(Content::as_function);
            if let Some(content) = content {
                grants.widen(&content.grants);
            }
        }
    }
    Ok(grants)
}

/// Of what is changed or deleted: that which something outside calls, however indirectly, or starts.
async fn used_outside(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<HashSet<EntryKey>, Error> {
    let mut used = HashSet::new();
    if access.only().is_all() {
        return Ok(used);
    }
    for outcome in outcomes {
        // Also what is new: others may have named it before it was there.
        if is_reached_from_outside(ctx, access, outcome.key).await? {
            used.insert(outcome.key.clone());
        }
    }
    Ok(used)
}

/// Whether what a Trigger or Schedule starts has another authority than the author: new code would be lent it.
async fn is_by_others(ctx: &Ctx, access: &Access, starts: &EntryKey) -> Result<bool, Error> {
    let Some(version) = ctx.store.live_version(starts).await? else { return Ok(false) };
    let entry = version.head.entry_id;
    let applier = ctx.store.appliers(&[entry]).await?.remove(&entry);
    Ok(applier.is_none_or(|applier| applier != *access.authority))
}

/// Whether the server itself starts one of these, with what it tells of everybody.
fn is_notified(ctx: &Ctx, names: &[String]) -> bool {
    let function = ctx.notify.function.as_ref();
    function.is_some_and(|function| names.iter().any(|name| name == function.as_str()))
}

async fn is_reached_from_outside(ctx: &Ctx, access: &Access, key: &EntryKey) -> Result<bool, Error> {
    let mut seen: HashSet<EntryKey> = HashSet::from([key.clone()]);
    let mut next = vec![key.name.to_string()];
    let is_callable = matches!(key.kind, EntryKind::Function | EntryKind::Graph);
    while !next.is_empty() {
        if is_callable && is_notified(ctx, &next) {
            return Ok(true);
        }
        let mut callers = Vec::new();
        for (_, role, who) in ctx.store.referrers(EntryKind::Function, &next, &Scope::All).await? {
            if role == Role::Watches || !seen.insert(who.clone()) {
                continue;
            }
            if !access.covers(who.name.as_str())
                || (role == Role::Starts && is_by_others(ctx, access, &who).await?)
            {
                return Ok(true);
            }
            callers.extend((role == Role::Calls).then(|| who.name.to_string()));
        }
        next = callers;
    }
    Ok(false)
}
