//! Looks whether the Secrets that changed entries name are stored. Without them the entries are stored all the same: they may be meant
//! for another machine, or the Secret may be set next.

use std::collections::BTreeSet;

use model::access::Access;
use model::access::actor::Actor;
use model::changeset::check::{Finding, Outcome};
use model::content::Content;
use model::trigger::senders::Senders;

use crate::ctx::Ctx;
use crate::error::Error;

/// Only of Secrets that the author may grant: others might as well not exist.
pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Finding>, Error> {
    let (mut findings, mut seen) = (Vec::new(), BTreeSet::new());
    if matches!(access.actor, Actor::Run(_)) {
        return Ok(findings);
    }
    for outcome in outcomes {
        for name in outcome.after.map(secrets).unwrap_or_default() {
            // Once for each: a pack hands them on to whatever calls what uses them.
            let is_reported = access.authority.grants.secret(name) && seen.insert(name);
            if is_reported && ctx.store.sealed_secret(name).await?.is_none() {
                let problem = format!("it uses the secret `{name}`, which is not stored");
                let hint = format!("store it with `selfmade secret set {name}`");
                findings.push(Finding::warning(outcome.key.clone(), problem).hint(hint));
            }
        }
    }
    Ok(findings)
}

fn secrets(content: &Content) -> BTreeSet<&str> {
    match content {
        Content::Function(function) => function.grants.secrets.iter().map(String::as_str).collect(),
        Content::Trigger(trigger) => match &trigger.senders {
            Some(Senders::Secret(name)) => BTreeSet::from([name.as_str()]),
            _ => BTreeSet::new(),
        },
        Content::Graph(_) | Content::Schedule(_) => BTreeSet::new(),
    }
}
