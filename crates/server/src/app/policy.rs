//! The gate `policy`: gathers what authority has to know of each change, and asks the rule.

use std::collections::HashSet;

use model::access::Access;
use model::actor::Actor;
use model::check::{Check, Outcome};
use model::dependency::Role;
use model::entry::{EntryKey, EntryKind};
use model::policy::{self, Reach};
use model::scope::Scope;
use model::version::Version;

use super::checks::Asked;
use super::drafts::Drafted;
use super::error::Error;
use crate::ctx::Ctx;

pub(super) async fn check(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
    asked: Asked,
) -> Result<Check, Error> {
    let is_run = matches!(access.actor, Actor::Run(_));
    let mut live = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let is_live = drafted.snapshot.entries.get(outcome.key).is_some_and(|state| state.live.is_some());
        // Only what a proposal tells, or asks for, is read.
        let is_read = is_live && (is_run || asked == Asked::ToRead);
        live.push(if is_read { ctx.store.live_version(outcome.key).await? } else { None });
    }
    let outside = used_outside(ctx, access, drafted, outcomes).await?;
    let mut reaches = Vec::with_capacity(outcomes.len());
    for (outcome, live) in outcomes.iter().zip(&live) {
        reaches.push(Reach {
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
        Asked::ToApply => policy::check(access, &reaches),
        Asked::ToRead => policy::describe(access, &reaches),
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

/// Of what is changed or deleted: that which something outside calls, however indirectly, or starts.
async fn used_outside(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
) -> Result<HashSet<EntryKey>, Error> {
    let mut used = HashSet::new();
    if access.only().is_all() {
        return Ok(used);
    }
    for outcome in outcomes {
        let is_live = drafted.snapshot.entries.get(outcome.key).is_some_and(|state| state.live.is_some());
        if is_live && is_reached_from_outside(ctx, access, outcome.key).await? {
            used.insert(outcome.key.clone());
        }
    }
    Ok(used)
}

async fn is_reached_from_outside(ctx: &Ctx, access: &Access, key: &EntryKey) -> Result<bool, Error> {
    let mut seen: HashSet<EntryKey> = HashSet::from([key.clone()]);
    let mut next = vec![key.name.to_string()];
    while !next.is_empty() {
        let mut callers = Vec::new();
        for (_, role, who) in ctx.store.referrers(EntryKind::Function, &next, &Scope::All).await? {
            if role == Role::Watches || !seen.insert(who.clone()) {
                continue;
            }
            if !access.covers(who.name.as_str()) {
                return Ok(true);
            }
            callers.extend((role == Role::Calls).then(|| who.name.to_string()));
        }
        next = callers;
    }
    Ok(false)
}
