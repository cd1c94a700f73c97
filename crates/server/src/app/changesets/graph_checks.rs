//! Checks Graphs when they are saved, and those that are stored when what they call is changed: every problem with its node and pin.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use model::access::Access;
use model::changeset::check::{Finding, Outcome, Severity};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::graph::block::BlockSignature;
use model::graph::check::Problem;
use model::graph::{Blocks, GraphContent, Missing, Node, check};
use model::name::EntryName;
use model::version::VersionNumber;

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
    let library = Library::read(ctx, outcomes, graphs).await?;
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
                "the stored graph `{}` would no longer run: change it in the same changeset, or keep the pins",
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

/// What Graphs may call, once the changes are applied.
struct Library {
    live: HashMap<String, Content>,
    pinned: HashMap<(String, VersionNumber), Content>,
}

impl Library {
    /// With everything that these Graphs call, and what the Graphs among that call.
    async fn read<'a>(
        ctx: &Ctx,
        outcomes: &[Outcome<'_>],
        graphs: impl Iterator<Item = &'a GraphContent>,
    ) -> Result<Library, Error> {
        let mut library = Library { live: HashMap::new(), pinned: HashMap::new() };
        for outcome in outcomes {
            if let Some(content @ (Content::Function(_) | Content::Graph(_))) = outcome.after {
                library.live.insert(outcome.key.name.to_string(), content.clone());
            }
        }
        let gone =
            |key: &EntryKey| outcomes.iter().any(|outcome| outcome.key == key && outcome.after.is_none());
        let mut next: Vec<(String, Option<VersionNumber>)> = graphs.flat_map(calls).collect();
        next.extend(library.live.values().flat_map(nested));
        let mut asked = BTreeSet::new();
        while !next.is_empty() {
            next.retain(|call| asked.insert((call.0.clone(), call.1.map(|number| number.0))));
            let mut found = Vec::new();
            let live =
                next.iter().filter(|(name, version)| version.is_none() && !library.live.contains_key(name));
            let names: Vec<EntryName> = live.filter_map(|(name, _)| EntryName::new(name).ok()).collect();
            for version in ctx.store.live_callables(&names).await? {
                if !gone(&version.head.key) {
                    found.extend(nested(&version.content));
                    library.live.insert(version.head.key.name.to_string(), version.content);
                }
            }
            for (name, number) in next.drain(..).filter_map(|(name, number)| Some((name, number?))) {
                let Ok(entry) = EntryName::new(&name) else { continue };
                for kind in [EntryKind::Function, EntryKind::Graph] {
                    if let Some(version) =
                        ctx.store.version(&EntryKey::new(kind, entry.clone()), number).await?
                    {
                        found.extend(nested(&version.content));
                        library.pinned.insert((name.clone(), number), version.content);
                    }
                }
            }
            next = found;
        }
        Ok(library)
    }

    fn find(&self, name: &str, version: Option<VersionNumber>) -> Result<&Content, Missing> {
        match version {
            None => self.live.get(name).ok_or(Missing::Name),
            Some(number) => self.pinned.get(&(name.to_owned(), number)).ok_or(Missing::Version),
        }
    }
}

fn calls(graph: &GraphContent) -> Vec<(String, Option<VersionNumber>)> {
    let calls = graph.nodes.iter().filter_map(Node::calls);
    calls.map(|(name, version)| (name.to_owned(), version)).collect()
}

fn nested(content: &Content) -> Vec<(String, Option<VersionNumber>)> {
    match content {
        Content::Graph(graph) => calls(graph),
        _ => Vec::new(),
    }
}

impl Blocks for Library {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        BlockSignature::of_content(self.find(name, version)?).map(Arc::new).ok_or(Missing::Name)
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        match self.find(name, version) {
            Ok(Content::Graph(graph)) => Some(Arc::new(graph.clone())),
            _ => None,
        }
    }
}
