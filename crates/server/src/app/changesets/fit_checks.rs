//! Checks what is stored against Functions whose signature changes: the Triggers and Schedules that start them, and the Functions
//! that call them. Graphs are the part of `graph_checks`.

use std::collections::{BTreeMap, BTreeSet};

use model::access::Access;
use model::changeset::check::{Finding, OR_FORCE, Outcome, Severity};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionContent;
use model::function::call_fit::misfit;
use model::function::dependency::Role;
use model::function::signature::Signature;
use model::name::EntryName;
use model::python::{Dialect, free_calls};
use model::version::Version;

use super::drafts::Drafted;
use super::start_checks::{schedule_input, trigger_input};
use crate::ctx::Ctx;
use crate::error::Error;

/// A Function whose signature changes.
struct Changed<'a> {
    before: Signature,
    after: &'a FunctionContent,
}

/// What fitted, and will not any more. What did not fit before is not the fault of these changes.
pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Finding>, Error> {
    let changed = changed(ctx, drafted, outcomes).await?;
    let mut findings = Vec::new();
    for version in referrers(ctx, access, &changed, outcomes).await? {
        findings.extend(misfits(&version, &changed));
    }
    Ok(findings)
}

async fn changed<'a>(
    ctx: &Ctx,
    drafted: &Drafted,
    outcomes: &[Outcome<'a>],
) -> Result<BTreeMap<EntryName, Changed<'a>>, Error> {
    let is_live =
        |key: &EntryKey| drafted.snapshot.entries.get(key).is_some_and(|state| state.live.is_some());
    let after = outcomes.iter().filter(|outcome| is_live(outcome.key));
    let after: BTreeMap<&EntryName, &FunctionContent> =
        after.filter_map(|outcome| Some((&outcome.key.name, outcome.after?.as_function()?))).collect();
    if after.is_empty() {
        return Ok(BTreeMap::new());
    }
    let names: Vec<EntryName> = after.keys().map(|name| (*name).clone()).collect();
    let mut changed = BTreeMap::new();
    for version in ctx.store.live_callables(&names).await? {
        let name = version.head.key.name;
        if let (Some(after), Content::Function(before)) = (after.get(&name), version.content)
            && before.signature != after.signature
        {
            changed.insert(name, Changed { before: before.signature, after });
        }
    }
    Ok(changed)
}

/// The live entries that call or start what changes, and are not changed themselves. Those outside are looked at by whoever may
/// see them.
async fn referrers(
    ctx: &Ctx,
    access: &Access,
    changed: &BTreeMap<EntryName, Changed<'_>>,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Version>, Error> {
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = changed.keys().map(ToString::to_string).collect();
    let referrers = ctx.store.referrers(EntryKind::Function, &names, access.only()).await?;
    let is_bound = |role: Role, who: &EntryKey| role != Role::Watches && who.kind != EntryKind::Graph;
    let keys: BTreeSet<EntryKey> = referrers
        .into_iter()
        .filter(|(_, role, who)| is_bound(*role, who) && outcomes.iter().all(|outcome| outcome.key != who))
        .map(|(_, _, who)| who)
        .collect();
    let mut versions = Vec::new();
    for key in keys {
        versions.extend(ctx.store.live_version(&key).await?);
    }
    Ok(versions)
}

fn misfits(version: &Version, changed: &BTreeMap<EntryName, Changed<'_>>) -> Vec<Finding> {
    let key = &version.head.key;
    match &version.content {
        Content::Schedule(schedule) => {
            let Some(target) = changed.get(&schedule.target) else { return Vec::new() };
            let hint = format!(
                "give schedule `{}` another input after that, or keep the parameters{OR_FORCE}",
                key.name
            );
            started(target, !schedule.paused, &hint, |signature| schedule_input(key, schedule, signature))
        }
        Content::Trigger(trigger) => {
            let Some(target) = changed.get(&trigger.target) else { return Vec::new() };
            let hint = format!(
                "give trigger `{}` another input after that, or keep the parameters{OR_FORCE}",
                key.name
            );
            started(target, trigger.enabled, &hint, |signature| trigger_input(key, trigger, signature))
        }
        Content::Function(caller) => changed_calls(key, caller, changed),
        Content::Graph(_) => Vec::new(),
    }
}

/// What is switched off breaks nothing now, and is checked again when it is switched on.
fn started(
    target: &Changed<'_>,
    is_on: bool,
    hint: &str,
    check: impl Fn(&Signature) -> Vec<Finding>,
) -> Vec<Finding> {
    if !check(&target.before).is_empty() {
        return Vec::new();
    }
    let severity = if is_on { severity(target.after) } else { Severity::Warning };
    let mut problems = check(&target.after.signature).into_iter();
    let Some(mut first) = problems.next() else { return Vec::new() };
    for problem in problems {
        first.message = format!("{}; {}", first.message, problem.message);
    }
    vec![Finding { severity, ..first }.hint(hint)]
}

/// BabyAGI lets functions be replaced by any other.
fn severity(after: &FunctionContent) -> Severity {
    if after.dialect == Dialect::Babyagi { Severity::Warning } else { Severity::Error }
}

/// The calls in a source whose arguments fitted. Of several to one Function the first is named.
fn changed_calls(
    key: &EntryKey,
    caller: &FunctionContent,
    changed: &BTreeMap<EntryName, Changed<'_>>,
) -> Vec<Finding> {
    let Ok(calls) = free_calls(&caller.source) else { return Vec::new() };
    let unpinned = caller.dependencies.iter().filter(|dependency| dependency.version.is_none());
    let finding = |dependency: &model::function::dependency::Dependency| {
        let name = EntryName::new(&dependency.function).ok()?;
        let callee = changed.get(&name)?;
        let calls = calls.iter().filter(|call| call.callee == dependency.alias);
        let mut calls = calls.filter(|call| misfit(call, &callee.before).is_none());
        let (call, why) = calls.find_map(|call| Some((call, misfit(call, &callee.after.signature)?)))?;
        let hint = format!("change `{}` in the same changeset, or keep the parameters{OR_FORCE}", key.name);
        let finding = Finding::error(key.clone(), format!("its call of `{name}` {why}"));
        let severity = severity(callee.after);
        Some(Finding { severity, ..finding.at(call.line, call.column).hint(hint) })
    };
    unpinned.filter_map(finding).collect()
}
