//! What is stored: drafts, and the Versions that they began with.

use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::graph::draft::Draft;
use model::name::EntryName;
use model::version::VersionNumber;

use crate::ctx::Ctx;
use crate::error::Error;

pub(super) async fn stored(ctx: &Ctx, name: &EntryName) -> Result<Draft, Error> {
    let draft = ctx.store.graph_draft(name).await?;
    draft.ok_or_else(|| Error::NoGraphDraft { graph: name.clone() })
}

/// The draft that there is, or else one of what is live, and whether it is stored.
pub(super) async fn begun(ctx: &Ctx, name: &EntryName) -> Result<(Draft, bool), Error> {
    if let Some(draft) = ctx.store.graph_draft(name).await? {
        return Ok((draft, true));
    }
    let live = live(ctx, name).await?;
    let now = ctx.clock.now();
    let draft = Draft {
        name: name.clone(),
        base: live.as_ref().map(|(number, _)| *number),
        edit: 0,
        content: live.map(|(_, content)| content).unwrap_or_default(),
        created_at: now,
        updated_at: now,
    };
    Ok((draft, false))
}

pub(super) fn key(name: &EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name.clone())
}

pub(super) async fn live(
    ctx: &Ctx,
    name: &EntryName,
) -> Result<Option<(VersionNumber, GraphContent)>, Error> {
    let version = ctx.store.live_version(&key(name)).await?;
    Ok(version.and_then(|version| match version.content {
        Content::Graph(graph) => Some((version.head.number, graph)),
        _ => None,
    }))
}

/// What a draft began with; nothing for one of a new Graph.
pub(super) async fn base(ctx: &Ctx, draft: &Draft) -> Result<GraphContent, Error> {
    let Some(number) = draft.base else { return Ok(GraphContent::default()) };
    numbered(ctx, &draft.name, number).await
}

pub(super) async fn numbered(
    ctx: &Ctx,
    name: &EntryName,
    number: VersionNumber,
) -> Result<GraphContent, Error> {
    match ctx.store.version(&key(name), number).await?.map(|version| version.content) {
        Some(Content::Graph(graph)) => Ok(graph),
        _ => Err(Error::VersionNotFound { key: key(name), number }),
    }
}
