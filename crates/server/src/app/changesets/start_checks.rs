//! Checks Triggers and Schedules when they are saved: conditions and templates can be parsed, and the input they build
//! matches their target.

use std::collections::{BTreeSet, HashMap};

use model::access::Access;
use model::changeset::check::{Finding, Outcome, Severity, nearest};
use model::content::Content;
use model::entry::EntryKey;
use model::function::signature::{Parameter, ParameterKind, Signature};
use model::input::{InputError, InputSchema, bind};
use model::name::EntryName;
use model::phrase::list;
use model::schedule::ScheduleContent;
use model::trigger::TriggerContent;
use model::trigger::mapping::{Ask, asked};
use serde_json::{Map, Value};

use super::condition_checks;
use crate::app::triggers::expression::check;
use crate::ctx::Ctx;
use crate::error::Error;

/// Parameters that get something of their own when an entry was changed.
const OF_CHANGES: [&str; 3] = ["action", "triggered_function_name", "function_name"];

pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Finding>, Error> {
    let signatures = signatures(ctx, access, outcomes).await?;
    let mut findings = Vec::new();
    for outcome in outcomes {
        let mut found = Vec::new();
        match outcome.after {
            Some(Content::Trigger(trigger)) => {
                found.extend(misunderstood(outcome.key, trigger));
                found.extend(
                    condition_checks::findings(ctx, access, outcome.key, trigger, &signatures).await?,
                );
                if let Some(signature) = signatures.get(&trigger.target) {
                    found.extend(trigger_input(outcome.key, trigger, signature));
                }
            }
            Some(Content::Schedule(schedule)) => {
                if let Some(signature) = signatures.get(&schedule.target) {
                    found.extend(schedule_input(outcome.key, schedule, signature));
                }
            }
            _ => {}
        }
        if !found.is_empty() && is_switched_off(ctx, outcome).await? {
            for finding in &mut found {
                finding.severity = Severity::Warning;
            }
        }
        findings.extend(found);
    }
    Ok(findings)
}

/// What no longer fits its target can be switched off all the same; it is checked when it is switched on again.
async fn is_switched_off(ctx: &Ctx, outcome: &Outcome<'_>) -> Result<bool, Error> {
    let (Some(after), Some(live)) = (outcome.after, ctx.store.live_version(outcome.key).await?) else {
        return Ok(false);
    };
    Ok(match (live.content, after) {
        (Content::Schedule(before), Content::Schedule(after)) => {
            *after == ScheduleContent { paused: true, ..before }
        }
        (Content::Trigger(before), Content::Trigger(after)) => {
            *after == TriggerContent { enabled: false, ..before }
        }
        _ => false,
    })
}

/// What the targets take, and what watched functions give, once the changes are applied. Of a Graph that is not known here.
async fn signatures(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<HashMap<EntryName, Signature>, Error> {
    let target = |outcome: &Outcome<'_>| match outcome.after? {
        Content::Trigger(trigger) => Some(trigger.target.clone()),
        Content::Schedule(schedule) => Some(schedule.target.clone()),
        Content::Function(_) | Content::Graph(_) => None,
    };
    let watched = |outcome: &Outcome<'_>| match outcome.after? {
        Content::Trigger(trigger) => condition_checks::watched(access, trigger),
        _ => None,
    };
    let mut stored: BTreeSet<EntryName> =
        outcomes.iter().filter_map(target).chain(outcomes.iter().filter_map(watched)).collect();
    let mut signatures = HashMap::new();
    for outcome in outcomes {
        if let Some(function) = outcome.after.and_then(Content::as_function)
            && stored.remove(&outcome.key.name)
        {
            signatures.insert(outcome.key.name.clone(), function.signature.clone());
        }
    }
    if stored.is_empty() {
        return Ok(signatures);
    }
    for version in ctx.store.live_callables(&stored.into_iter().collect::<Vec<_>>()).await? {
        if let Some(function) = version.content.as_function() {
            signatures.insert(version.head.key.name.clone(), function.signature.clone());
        }
    }
    Ok(signatures)
}

fn misunderstood(key: &EntryKey, trigger: &TriggerContent) -> Vec<Finding> {
    let condition = trigger.condition.as_deref().filter(|text| !text.trim().is_empty()).map(|condition| {
        let problem = check(Ask::Expression(condition)).err()?;
        let hint = "write an expression over the event, such as `event.output.score > 0.8`";
        Some(Finding::error(key.clone(), format!("its condition: {problem}")).hint(hint))
    });
    let input = trigger.input.iter().flat_map(asked).map(|asked| {
        let problem = check(asked.ask).err()?;
        let hint = "write for example `{{ event.output }}`, or `{{ event.output.score * 100 }}`";
        Some(Finding::error(key.clone(), format!("its input `{}`: {problem}", asked.input)).hint(hint))
    });
    condition.into_iter().chain(input).flatten().collect()
}

pub(super) fn trigger_input(key: &EntryKey, trigger: &TriggerContent, signature: &Signature) -> Vec<Finding> {
    match &trigger.input {
        Some(input) => mapped(key, &trigger.target, input, signature),
        None => unmapped(key, &trigger.target, signature).into_iter().collect(),
    }
}

/// Which names a mapping has is known; what happens to its texts is not.
fn mapped(
    key: &EntryKey,
    target: &EntryName,
    input: &Map<String, Value>,
    signature: &Signature,
) -> Vec<Finding> {
    let parameters = &signature.parameters;
    let takes_any = parameters.iter().any(|parameter| parameter.kind == ParameterKind::VarKeyword);
    let known: Vec<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let strange = input.keys().filter(|name| !takes_any && !known.contains(name)).map(|name| {
        let finding =
            Finding::error(key.clone(), format!("its input `{name}` is not a parameter of `{target}`"));
        match nearest(name, &known) {
            Some(near) => finding.hint(format!("did you mean `{near}`?")),
            None => finding.hint(format!("`selfmade fn show {target}` shows what it takes")),
        }
    });
    let missing =
        required(parameters).filter(|parameter| !input.contains_key(&parameter.name)).map(|parameter| {
            let name = &parameter.name;
            Finding::error(key.clone(), format!("its input lacks `{name}`, which `{target}` requires"))
                .hint(format!("add for example `\"{name}\": \"{{{{ event.output }}}}\"`"))
        });
    strange.chain(missing).collect()
}

/// Only one parameter gets what an Event carries. What BabyAGI's packs declare is kept, and told.
fn unmapped(key: &EntryKey, target: &EntryName, signature: &Signature) -> Option<Finding> {
    let names: Vec<&str> = required(&signature.parameters).map(|parameter| parameter.name.as_str()).collect();
    if names.len() < 2 || names.iter().any(|name| OF_CHANGES.contains(name)) {
        return None;
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message =
        format!("`{target}` requires {}, but only the first gets the event's payload", list(&quoted, "and"));
    Some(Finding::warning(key.clone(), message).hint("set each of them with an input"))
}

fn required(parameters: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    parameters.iter().filter(|parameter| parameter.required)
}

/// What a Schedule hands over is known to the last value.
pub(super) fn schedule_input(
    key: &EntryKey,
    schedule: &ScheduleContent,
    signature: &Signature,
) -> Vec<Finding> {
    let bound = bind(signature, Vec::new(), schedule.input.clone());
    let checked = bound.and_then(|input| InputSchema::compile(signature).check(&input));
    let problems = checked.err().map(|InputError { problems, .. }| problems).unwrap_or_default();
    let target = &schedule.target;
    let told = |problem: model::input::Problem| {
        Finding::error(key.clone(), format!("its input for `{target}`: {problem}"))
            .hint(format!("`selfmade fn show {target}` shows what it takes"))
    };
    problems.into_iter().map(told).collect()
}
