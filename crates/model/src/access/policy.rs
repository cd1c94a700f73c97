//! The gate `policy`: whether a Changeset may be applied by whoever proposes it, or has to be shown to someone first.
//!
//! Nobody's functions get more than their author holds, nothing changes under those who depend on it behind their backs, and what
//! a Run proposes asks a person wherever rights grow or someone else's work is replaced.

use super::actor::Actor;
use super::grants::Grants;
use crate::access::Access;
use crate::changeset::check::{Check, Finding, Gate, Verdict};
use crate::content::Content;
use crate::entry::EntryKey;
use crate::function::FunctionContent;
use crate::function::dependency::Role;
use crate::trigger::TriggerContent;
use crate::trigger::senders::Senders;

/// What happens to a Changeset that a Run proposes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ProposalPolicy {
    /// It is applied if it passes its checks.
    Auto,
    /// A person decides.
    #[default]
    Ask,
    /// Runs cannot propose.
    Never,
}

/// One change, with what authority has to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    pub key: &'a EntryKey,
    /// What is live now.
    pub before: Option<&'a Content>,
    /// What will be.
    pub after: Option<&'a Content>,
    /// The grants of all that call it, however indirectly: its code may run in their cells.
    pub lent: &'a Grants,
    /// Whether something that its author may not touch depends on it.
    pub is_used_outside: bool,
    /// Whether what is live was written by someone else, and may not be replaced without asking.
    pub is_of_others: bool,
}

/// What has to be approved by someone else than who proposes.
pub fn check(access: &Access, reaches: &[Reach<'_>]) -> Check {
    let is_run = matches!(access.actor, Actor::Run(_));
    let mut findings = Vec::new();
    for reach in reaches {
        findings.extend(not_held(access, reach));
        findings.extend(calls_outside(access, reach));
        findings.extend(used_outside(reach));
        if is_run {
            findings.extend(growth(reach));
            findings.extend(lent(reach));
            findings.extend(of_others(reach));
        }
    }
    let verdict = if findings.is_empty() { Verdict::Passed } else { Verdict::Asks };
    Check { gate: Gate::Policy, verdict, findings, note: None }
}

/// The same for whoever reads a proposal: everything that grows, whoever proposes it.
pub fn describe(access: &Access, reaches: &[Reach<'_>]) -> Check {
    let mut check = check(access, reaches);
    if !matches!(access.actor, Actor::Run(_)) {
        check.findings.extend(reaches.iter().filter_map(growth));
    }
    check
}

/// Grants that the author may not give. What the version before had counts, too: its code is the author's now. A Trigger that takes
/// what is signed with a secret uses that secret.
fn not_held(access: &Access, reach: &Reach<'_>) -> Option<Finding> {
    let used = match reach.after? {
        Content::Trigger(trigger) => secrets_of(trigger),
        content => {
            let mut used = grants(Some(content))?.clone();
            used.widen(reach.lent);
            used
        }
    };
    let beyond = access.authority.grants.beyond(&used);
    (beyond != Grants::default()).then(|| {
        let lines = beyond.lines().join(", ");
        Finding::warning(reach.key.clone(), format!("needs what its author may not grant: {lines}"))
            .hint("someone who may grant that must apply it")
    })
}

/// What it calls that its author may not. By the name alone, whether or not there is such a function: what is not there may come, and
/// whoever names it must not learn which.
fn calls_outside(access: &Access, reach: &Reach<'_>) -> Option<Finding> {
    let references = reach.after?.references();
    let called = references.iter().filter(|reference| reference.role == Role::Calls);
    let outside: Vec<String> = called
        .filter(|reference| !access.authority.may_call(&reference.name))
        .map(|reference| format!("`{}`", reference.name))
        .collect();
    (!outside.is_empty()).then(|| {
        let text = format!("calls {}, which its author may not use", outside.join(", "));
        Finding::warning(reach.key.clone(), text).hint("someone who may use that must apply it")
    })
}

fn used_outside(reach: &Reach<'_>) -> Option<Finding> {
    reach.is_used_outside.then(|| {
        let text = "is used by an entry that its author may not touch";
        Finding::warning(reach.key.clone(), text).hint("someone who may touch that entry too must apply it")
    })
}

/// What the new version may reach that the version it replaces might not.
fn growth(reach: &Reach<'_>) -> Option<Finding> {
    let old = grants(reach.before).cloned().unwrap_or_default();
    let more = grants(reach.after)?.beyond(&old);
    (more != Grants::default()).then(|| {
        let lines = few(more.lines()).join(", ");
        Finding::warning(reach.key.clone(), format!("gains {lines}")).hint("a person must apply it")
    })
}

/// A person reads a few lines, and not fifty: of hosts and of secrets the first are named and the others counted. Everything else is there
/// once, so no long list hides that a function gains the model or the brain.
fn few(lines: Vec<String>) -> Vec<String> {
    const NAMED: usize = 3;
    let is_of = |kind: &'static str| move |line: &&String| line.starts_with(kind);
    let mut few: Vec<String> = Vec::new();
    for (kind, many) in [("network ", "hosts"), ("secret ", "secrets")] {
        few.extend(lines.iter().filter(is_of(kind)).take(NAMED).cloned());
        let more = lines.iter().filter(is_of(kind)).count().saturating_sub(NAMED);
        few.extend((more > 0).then(|| format!("{more} more {many}")));
    }
    let is_listed = |line: &String| line.starts_with("network ") || line.starts_with("secret ");
    few.extend(lines.into_iter().filter(|line| !is_listed(line)));
    few
}

/// What new code gets because of those that call it, beyond what it was granted itself.
fn lent(reach: &Reach<'_>) -> Option<Finding> {
    let (before, after) = (reach.before.and_then(Content::as_function), reach.after?.as_function()?);
    let is_same_code =
        |old: &FunctionContent| old.source == after.source && old.dependencies == after.dependencies;
    if before.is_some_and(is_same_code) {
        return None;
    }
    let more = reach.lent.beyond(grants(reach.after)?);
    (more != Grants::default()).then(|| {
        let lines = more.lines().join(", ");
        Finding::warning(reach.key.clone(), format!("runs in cells of functions that hold {lines}"))
            .hint("a person must apply it")
    })
}

fn of_others(reach: &Reach<'_>) -> Option<Finding> {
    reach.is_of_others.then(|| {
        let verb = if reach.after.is_some() { "replaces" } else { "deletes" };
        Finding::warning(reach.key.clone(), format!("{verb} someone else's work"))
            .hint("a person must apply it; the setting `changesets_replace` lists what may be replaced without asking")
    })
}

fn secrets_of(trigger: &TriggerContent) -> Grants {
    let secret = match &trigger.senders {
        Some(Senders::Secret(name)) => Some(name.clone()),
        _ => None,
    };
    Grants { secrets: secret.into_iter().collect(), ..Grants::default() }
}

fn grants(content: Option<&Content>) -> Option<&Grants> {
    content.and_then(Content::as_function).map(|function| &function.grants)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::access::Authority;
    use crate::access::grantable::{Grant, Grantable};
    use crate::function::FunctionDraft;
    use crate::ids::RunId;

    fn function(secrets: &[&str], hosts: &[&str]) -> Content {
        let draft = FunctionDraft::of_source("def f(): pass\n");
        let mut content = draft.assemble(None, &|_| None).unwrap().content;
        content.grants.secrets = secrets.iter().map(ToString::to_string).collect();
        content.grants.network = hosts.iter().map(ToString::to_string).collect();
        Content::Function(Box::new(content))
    }

    fn access(actor: Actor, grants: &[Grant]) -> Access {
        let authority = Authority { grants: Grantable(grants.to_vec()), ..Authority::of_command_line() };
        Access { actor, authority: Arc::new(authority) }
    }

    fn findings(access: &Access, before: Option<&Content>, after: Option<&Content>) -> Vec<String> {
        findings_lent(access, before, after, &Grants::default())
    }

    fn findings_lent(
        access: &Access,
        before: Option<&Content>,
        after: Option<&Content>,
        lent: &Grants,
    ) -> Vec<String> {
        let key = EntryKey::function("f".parse().unwrap());
        let reach =
            Reach { key: &key, before, after, lent, is_used_outside: false, is_of_others: before.is_some() };
        check(access, &[reach]).findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_person_who_holds_what_is_granted_is_not_asked() {
        let person = access(Actor::CommandLine, &[Grant::All]);
        assert!(findings(&person, None, Some(&function(&["k"], &["a.com"]))).is_empty());
        assert!(findings(&person, Some(&function(&[], &[])), None).is_empty());
    }

    #[test]
    fn what_the_author_does_not_hold_is_reported_also_if_it_was_granted_before() {
        let person = access(Actor::CommandLine, &[Grant::Secret("k".to_owned())]);
        let had = function(&["k", "other"], &[]);
        assert_eq!(
            findings(&person, Some(&had), Some(&had)),
            ["needs what its author may not grant: secret other"]
        );
    }

    #[test]
    fn code_that_runs_in_the_cells_of_others_counts_with_their_grants() {
        let plain = function(&[], &[]);
        let lent = Grants { secrets: ["mail_key".to_owned()].into(), ..Grants::default() };
        let builder = access(Actor::CommandLine, &[]);
        let findings = |access| findings_lent(access, None, Some(&plain), &lent);
        assert_eq!(findings(&builder), ["needs what its author may not grant: secret mail_key"]);
        let run = access(Actor::Run(RunId(uuid::Uuid::nil())), &[Grant::All]);
        assert_eq!(findings(&run), ["runs in cells of functions that hold secret mail_key"]);
        let described = findings_lent(&run, Some(&plain), Some(&plain), &lent);
        assert_eq!(described, ["replaces someone else's work"], "the same code gets nothing new");
        assert!(findings(&access(Actor::CommandLine, &[Grant::All])).is_empty());
    }

    #[test]
    fn growth_is_told_in_few_words_and_a_long_list_hides_nothing_else() {
        let run = access(Actor::Run(RunId(uuid::Uuid::nil())), &[Grant::All]);
        let names: Vec<String> = (0..40).map(|n| format!("key_{n:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Content::Function(mut content) = function(&names, &["a.com"]) else { panic!("a function") };
        content.grants.model = true;
        let found = findings(&run, None, Some(&Content::Function(content)));
        assert_eq!(
            found,
            ["gains network a.com, secret key_00, secret key_01, secret key_02, 37 more secrets, model"]
        );
    }

    #[test]
    fn a_run_asks_where_grants_grow_and_where_it_replaces_the_work_of_others() {
        let run = access(Actor::Run(RunId(uuid::Uuid::nil())), &[Grant::All]);
        let (old, new) = (function(&["a"], &[]), function(&["a", "b"], &["x.com"]));
        assert_eq!(
            findings(&run, Some(&old), Some(&new)),
            ["gains network x.com, secret b", "replaces someone else's work"]
        );
        assert_eq!(findings(&run, None, Some(&old)), ["gains secret a"]);
        assert!(findings(&run, None, Some(&function(&[], &[]))).is_empty());
        assert_eq!(findings(&run, Some(&old), None), ["deletes someone else's work"]);
    }
}
