//! Checks Graphs when they are saved, and those that are stored when what they call is changed: every problem with its node and pin.

use std::collections::BTreeSet;

use model::access::Access;
use model::changeset::check::{Finding, OR_FORCE, Outcome, Severity};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::graph::check::Problem;
use model::graph::{GraphContent, check};
use model::name::EntryName;

use crate::app::graphs::library::Library;
use crate::ctx::Ctx;
use crate::error::Error;

/// More problems of one Graph than a person reads at once are counted only.
const SHOWN: usize = 50;

pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Finding>, Error> {
    let mut findings = doubled(ctx, outcomes).await?;
    let saved: Vec<(EntryKey, GraphContent)> = outcomes.iter().filter_map(saved).collect();
    let callers = callers(ctx, access, outcomes).await?;
    if saved.is_empty() && callers.is_empty() {
        return Ok(findings);
    }
    let graphs = saved.iter().chain(&callers).map(|(_, graph)| graph);
    let changed = outcomes.iter().map(|outcome| (outcome.key, outcome.after));
    let library = Library::read(ctx, access, changed, graphs).await?;
    for (key, graph) in &saved {
        // What is wrong whatever its blocks are is told already.
        let flaws = graph.flaws();
        let problems = check(graph, Some(&key.name), &library).into_iter();
        findings.extend(told(key, problems.filter(|problem| !flaws.contains(problem)).collect()));
    }
    let changed: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.key.name.as_str()).collect();
    for (key, graph) in &callers {
        let is_theirs = |problem: &Problem| problem.is_error() && is_about(problem, graph, &changed);
        let problems = check(graph, Some(&key.name), &library).into_iter().filter(is_theirs).collect();
        findings.extend(told(key, problems).into_iter().map(|finding| {
            finding.hint(format!(
                "the stored graph `{}` would no longer run: change it in the same changeset, or keep the pins{OR_FORCE}",
                key.name
            ))
        }));
    }
    Ok(findings)
}

fn saved(outcome: &Outcome<'_>) -> Option<(EntryKey, GraphContent)> {
    match outcome.after? {
        Content::Graph(graph) => Some((outcome.key.clone(), graph.clone())),
        _ => None,
    }
}

/// Functions and Graphs are called by name, so a name is either.
async fn doubled(ctx: &Ctx, outcomes: &[Outcome<'_>]) -> Result<Vec<Finding>, Error> {
    let is_callable = |kind| matches!(kind, EntryKind::Function | EntryKind::Graph);
    let added = outcomes.iter().filter(|outcome| is_callable(outcome.key.kind) && outcome.after.is_some());
    let added: Vec<&EntryKey> = added.map(|outcome| outcome.key).collect();
    if added.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<EntryName> = added.iter().map(|key| key.name.clone()).collect();
    let live = ctx.store.live_callables(&names).await?;
    let is_deleted =
        |key: &EntryKey| outcomes.iter().any(|outcome| outcome.key == key && outcome.after.is_none());
    let live = live.iter().map(|version| &version.head.key).filter(|key| !is_deleted(key));
    let taken: BTreeSet<&EntryKey> = live.chain(added.iter().copied()).collect();
    let other = |key: &EntryKey| {
        let kind = if key.kind == EntryKind::Graph { EntryKind::Function } else { EntryKind::Graph };
        EntryKey::new(kind, key.name.clone())
    };
    let doubled = added.into_iter().filter(|key| taken.contains(&other(key)));
    Ok(doubled
        .map(|key| {
            let kind = other(key).kind.as_str();
            Finding::error(
                key.clone(),
                format!("a {kind} has this name, and callers could not tell them apart"),
            )
            .hint(format!("use another name, or delete the {kind} in the same changeset"))
        })
        .collect())
}

/// Stored Graphs that call what is changed, and are not changed themselves.
async fn callers(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<(EntryKey, GraphContent)>, Error> {
    let is_callable = |kind| matches!(kind, EntryKind::Function | EntryKind::Graph);
    let changed = outcomes.iter().filter(|outcome| is_callable(outcome.key.kind) && outcome.after.is_some());
    let names: Vec<String> = changed.map(|outcome| outcome.key.name.to_string()).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    // All of them: what would no longer run counts, whoever may see it. Only its name is told, and only to those who may.
    let referrers =
        ctx.store.referrers(EntryKind::Function, &names, &model::access::scope::Scope::All).await?;
    let keys: BTreeSet<EntryKey> = referrers
        .into_iter()
        .filter(|(_, role, who)| *role == Role::Calls && who.kind == EntryKind::Graph)
        .map(|(_, _, who)| who)
        .filter(|who| outcomes.iter().all(|outcome| outcome.key != who) && access.covers(who.name.as_str()))
        .collect();
    let mut callers = Vec::new();
    for key in keys {
        if let Some(version) = ctx.store.live_version(&key).await?
            && let Content::Graph(graph) = version.content
        {
            callers.push((key, graph));
        }
    }
    Ok(callers)
}

/// Whether the node, or one end of the link, is of a block that is changed.
fn is_about(problem: &Problem, graph: &GraphContent, changed: &BTreeSet<&str>) -> bool {
    let ends = problem.link.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]);
    let mut nodes = ends.chain(problem.node.as_deref());
    nodes.any(|node| graph.node(node).is_some_and(|node| changed.contains(node.block.as_str())))
}

fn told(key: &EntryKey, problems: Vec<Problem>) -> Vec<Finding> {
    let more = problems.len().saturating_sub(SHOWN);
    let mut findings: Vec<Finding> = problems
        .into_iter()
        .take(SHOWN)
        .map(|problem| match problem.severity {
            Severity::Error => Finding::error(key.clone(), problem.to_string()),
            Severity::Warning => Finding::warning(key.clone(), problem.to_string()),
        })
        .collect();
    if more > 0 {
        findings.push(Finding::error(key.clone(), format!("and {more} more problems")));
    }
    findings
}
