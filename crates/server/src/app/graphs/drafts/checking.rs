//! Checks a draft together with the other drafts that it would be applied with.

use std::collections::{BTreeMap, BTreeSet};

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::EntryKey;
use model::graph::check::Problem;
use model::graph::{self, GraphContent, Node};
use model::name::EntryName;

use super::stored::{key, stored};
use crate::app::graphs::library::Library;
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;

/// Sees the drafts that are named, and those of graphs that are not stored yet; the latter is told.
pub(super) async fn check(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    content: &GraphContent,
    with: &[EntryName],
) -> Result<Vec<Problem>, Error> {
    access.may(Verb::ReadChangesets)?;
    let mut others: BTreeMap<EntryName, GraphContent> = BTreeMap::new();
    for other in with {
        access.may_touch(Verb::ReadChangesets, other.as_str())?;
        others.insert(other.clone(), stored(ctx, other).await?.content);
    }
    let mut next: Vec<EntryName> = others.values().chain([content]).flat_map(calls).collect();
    let mut seen: BTreeSet<EntryName> = others.keys().cloned().chain([name.clone()]).collect();
    while let Some(called) = next.pop() {
        if !access.covers(called.as_str()) || !seen.insert(called.clone()) {
            continue;
        }
        if !ctx.store.live_callables(std::slice::from_ref(&called)).await?.is_empty() {
            continue;
        }
        if let Some(draft) = ctx.store.graph_draft(&called).await? {
            next.extend(calls(&draft.content));
            others.insert(called, draft.content);
        }
    }
    let others: Vec<(EntryKey, Content)> =
        others.into_iter().map(|(name, content)| (key(&name), Content::Graph(content))).collect();
    let changed = others.iter().map(|(key, content)| (key, Some(content)));
    let library = Library::read(ctx, access, changed, std::iter::once(content)).await?;
    let (checked, of) = (content.clone(), name.clone());
    let mut problems = blocking(move || graph::check(&checked, Some(&of), &library)).await;
    let is_only_draft =
        |called: &str| others.iter().any(|(key, _)| key.name.as_str() == called && !with.contains(&key.name));
    for node in &content.nodes {
        if let Some((called, _)) = node.calls().filter(|(called, _)| is_only_draft(called)) {
            problems.push(Problem::only_draft(&node.id, name.as_str(), called));
        }
    }
    Ok(problems)
}

fn calls(content: &GraphContent) -> Vec<EntryName> {
    let calls = content.nodes.iter().filter_map(Node::calls).filter(|(_, version)| version.is_none());
    calls.filter_map(|(name, _)| EntryName::new(name).ok()).collect()
}
