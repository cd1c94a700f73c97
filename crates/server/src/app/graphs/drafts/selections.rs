//! Selections of nodes become Graphs of their own, and go back to where they were.

use std::collections::BTreeSet;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::draft::{Draft, Edit};
use model::graph::{GraphContent, subgraph};
use model::name::EntryName;
use model::version::VersionNumber;

use super::DraftEdited;
use super::editing::edited;
use super::stored::{begun, key, live, numbered};
use crate::ctx::Ctx;
use crate::error::Error;

/// A selection that becomes a Graph of its own.
#[derive(Clone, Debug)]
pub struct Selection {
    pub nodes: BTreeSet<String>,
    /// The id of the node that takes their place.
    pub node: String,
    /// The name of the new Graph, which is a draft, too.
    pub graph: EntryName,
}

/// Puts a selection in a Graph of its own, which is begun as a draft, and a node that calls it in its place.
pub async fn pack(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    selection: &Selection,
    seen: Option<u64>,
) -> Result<DraftEdited, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    access.may_touch(Verb::ProposeChangeset, selection.graph.as_str())?;
    if !ctx.store.live_callables(std::slice::from_ref(&selection.graph)).await?.is_empty() {
        return Err(Error::Taken { noun: "function or graph", name: selection.graph.to_string() });
    }
    let now = ctx.clock.now();
    let edit = |draft: &Draft, since: &[Edit]| {
        let Selection { nodes, node, graph } = selection;
        let packed = subgraph::pack(&draft.content, nodes, node, graph.as_str())?;
        let inner = Draft {
            name: graph.clone(),
            base: None,
            edit: 0,
            content: packed.inner,
            created_at: now,
            updated_at: now,
        };
        Ok((draft.replaced(packed.outer, seen, since)?, Some(inner)))
    };
    match edited(ctx, access, name, &[], seen, edit).await {
        Err(Error::Store(store::Error::Unique { .. })) => {
            Err(Error::Taken { noun: "draft of a graph", name: selection.graph.to_string() })
        }
        edited => edited,
    }
}

/// Puts what a Graph contains in the place of the node that calls it: of its draft, if it has one.
pub async fn unpack(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    node: &str,
    seen: Option<u64>,
) -> Result<DraftEdited, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let (begun, _) = begun(ctx, name).await?;
    let called = begun.content.node(node).and_then(model::graph::Node::calls);
    let Some((inner, version)) = called else {
        return Err(Error::Input {
            problem: format!("node `{node}` of `{name}` does not call a graph"),
            hint: "name a node whose block is a graph".to_owned(),
        });
    };
    let inner = EntryName::new(inner)?;
    access.may_touch(Verb::ReadFunctions, inner.as_str())?;
    let inner = contained(ctx, &inner, version).await?;
    let edit = |draft: &Draft, since: &[Edit]| {
        Ok((draft.replaced(subgraph::unpack(&draft.content, node, &inner)?, seen, since)?, None))
    };
    edited(ctx, access, name, &[], seen, edit).await
}

async fn contained(
    ctx: &Ctx,
    name: &EntryName,
    version: Option<VersionNumber>,
) -> Result<GraphContent, Error> {
    if let Some(number) = version {
        return numbered(ctx, name, number).await;
    }
    if let Some(draft) = ctx.store.graph_draft(name).await? {
        return Ok(draft.content);
    }
    match live(ctx, name).await? {
        Some((_, content)) => Ok(content),
        None => Err(Error::NotFound { key: key(name), near: None }),
    }
}
