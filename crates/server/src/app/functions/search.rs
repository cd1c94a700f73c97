//! Finds functions and graphs by their names and descriptions. The index is updated to the current revision before it is used, so a
//! search never misses what was applied before it. Callers that may touch only some names get results from an index of those
//! names, to which the rest of the brain does not exist.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;

use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionContent;
use model::graph::block::{BlockSignature, ERROR};
use model::graph::builtin::Builtin;
use model::graph::{GraphContent, Node};
use model::name::EntryName;
use model::revision::Revision;
use model::version::Version;
use serde_json::Value;
use tracing::info;
use uuid::Uuid;

use crate::blocking::{blocking, joined};
use crate::ctx::Ctx;
use crate::error::Error;
pub use crate::search::Hit;
use crate::search::{self, Change, Document, IndexSlot, Position, SearchIndex};

/// Beyond this many moved entries, building the index again is quicker than mending it.
const MENDABLE: usize = 20_000;

/// What is found. They share their names, so a name is one of them.
const KINDS: [EntryKind; 2] = [EntryKind::Function, EntryKind::Graph];

/// The nodes of a large graph say little more than the first of them.
const INDEXED_NODES: usize = 500;

/// How many entries are read at a time while the index is built.
const PAGE: u32 = 2_000;

pub async fn search(ctx: &Ctx, access: &Access, query: &str, limit: usize) -> Result<Vec<Hit>, Error> {
    access.may(Verb::SearchFunctions)?;
    let scope = access.only();
    if *scope == Scope::none() {
        return Ok(Vec::new());
    }
    let slot = slot(ctx, scope).await?;
    let index = catch_up(ctx, &slot, scope).await?;
    let query = query.to_owned();
    Ok(blocking(move || index.search(&query, limit)).await?)
}

/// What the brain had of these kinds at a revision, as those find it who see it as it was then.
pub(crate) async fn search_as_of(
    ctx: &Ctx,
    access: &Access,
    query: &str,
    kinds: &[EntryKind],
    limit: usize,
    then: Revision,
) -> Result<Vec<Version>, Error> {
    access.may(Verb::SearchFunctions)?;
    // The index shows the brain as it is now, and what is not wanted is found as well.
    let found = search(ctx, access, query, limit * 4).await?;
    let mut versions = Vec::new();
    for hit in found.into_iter().filter(|hit| kinds.contains(&hit.kind)) {
        let Ok(name) = EntryName::new(&hit.name) else { continue };
        versions.extend(ctx.store.version_as_of(&EntryKey::new(hit.kind, name), then).await?);
        if versions.len() == limit {
            break;
        }
    }
    Ok(versions)
}

/// Throws the index away and builds it from the database. Those of scopes are built when they are searched.
pub async fn rebuild(ctx: &Ctx, access: &Access) -> Result<(), Error> {
    access.may_touch_all(Verb::RebuildSearch)?;
    let indexes = Arc::clone(&ctx.search);
    blocking(move || indexes.remove_scopes()).await?;
    let slot = slot(ctx, &Scope::All).await?;
    let mut open = slot.open.lock().await;
    let index = opened(&slot, &mut open).await?;
    build(ctx, index, &Scope::All).await
}

async fn slot(ctx: &Ctx, scope: &Scope) -> Result<Arc<IndexSlot>, Error> {
    let (indexes, scope) = (Arc::clone(&ctx.search), scope.clone());
    Ok(blocking(move || indexes.slot(&scope)).await?)
}

/// The index, showing at least what was applied when this was called. If another process is busy with it, what is
/// there has to do.
async fn catch_up(ctx: &Ctx, slot: &IndexSlot, scope: &Scope) -> Result<Arc<SearchIndex>, Error> {
    let mut open = slot.open.lock().await;
    let index = opened(slot, &mut open).await?;
    let is_stale = slot.is_stale.load(Ordering::Acquire);
    let done = match index.position() {
        Some(position) if position.brain == ctx.brain_id.0 && !is_stale => {
            update_index(ctx, Arc::clone(&index), position, scope).await
        }
        _ => build(ctx, Arc::clone(&index), scope).await,
    };
    match done {
        Ok(()) => {
            slot.is_stale.store(false, Ordering::Release);
            Ok(index)
        }
        // Another process is at it: what is there, or what it brings, has to do.
        Err(Error::Search(search::Error::Busy | search::Error::Moved { .. })) => Ok(index),
        Err(error) => Err(error),
    }
}

async fn opened(slot: &IndexSlot, open: &mut Option<Arc<SearchIndex>>) -> Result<Arc<SearchIndex>, Error> {
    let folder = slot.folder.clone();
    let there = open.clone();
    let index = blocking(move || match there {
        // Another process may have removed it to make room.
        Some(index) if folder.is_dir() => Ok(index),
        _ => SearchIndex::open(&folder).map(Arc::new),
    });
    let index = index.await?;
    *open = Some(Arc::clone(&index));
    Ok(index)
}

async fn update_index(
    ctx: &Ctx,
    index: Arc<SearchIndex>,
    from: Position,
    scope: &Scope,
) -> Result<(), Error> {
    if ctx.store.revision().await?.0 == from.revision {
        return Ok(());
    }
    let since = Revision(from.revision);
    let (now, mut names) = ctx.store.moved_since(EntryKind::Function, since).await?;
    // What moved after the first question is looked at now, and again next time.
    names.extend(ctx.store.moved_since(EntryKind::Graph, since).await?.1);
    names.retain(|name| scope.covers(name.as_str()));
    names.sort();
    names.dedup();
    // What was replaced is counted until its part of the index is merged. When that is depends on more than the
    // entries of a scope, so an index of a scope never holds any.
    let mendable = if scope.is_all() { MENDABLE } else { 0 };
    if now.0 < from.revision || names.len() > mendable {
        return build(ctx, index, scope).await;
    }
    let mut changes = Vec::with_capacity(names.len());
    for name in names {
        changes.push(change(ctx, name).await?);
    }
    let to = Position { revision: now.0, ..from };
    Ok(blocking(move || index.update(Some(from), to, changes)).await?)
}

async fn change(ctx: &Ctx, name: EntryName) -> Result<Change, Error> {
    let live = ctx.store.live_callables(std::slice::from_ref(&name)).await?;
    Ok(match live.into_iter().find_map(document) {
        Some(document) => Change::Put(document),
        None => Change::Remove(name.to_string()),
    })
}

/// Pages of documents flow from the database to the index while it is built.
async fn build(ctx: &Ctx, index: Arc<SearchIndex>, scope: &Scope) -> Result<(), Error> {
    // Read before the first page: what moves meanwhile is mended next time.
    let to = Position { brain: ctx.brain_id.0, revision: ctx.store.revision().await?.0 };
    // Nobody's until it is whole: if reading breaks off, what was built by then must not be taken for the brain.
    let unfinished = Position { brain: Uuid::nil(), revision: 0 };
    let (send, receive) = std::sync::mpsc::sync_channel::<Document>(PAGE as usize * 2);
    let building = Arc::clone(&index);
    let is_all = scope.is_all();
    let building = tokio::task::spawn_blocking(move || match is_all {
        true => building.rebuild(unfinished, receive.into_iter()),
        false => building.rebuild_exactly(unfinished, receive.into_iter()),
    });
    let read = send_pages(ctx, send, scope).await;
    joined(building.await)?;
    read?;
    blocking(move || index.update(Some(unfinished), to, [])).await?;
    info!(brain.revision = to.revision, "search index rebuilt at revision {}", to.revision);
    Ok(())
}

async fn send_pages(ctx: &Ctx, send: SyncSender<Document>, scope: &Scope) -> Result<(), Error> {
    for kind in KINDS {
        let mut after: Option<String> = None;
        loop {
            let page = ctx.store.live_versions(kind, after.as_deref(), PAGE, scope).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.head.key.name.to_string());
            let send = send.clone();
            let sent = blocking(move || {
                page.into_iter().filter_map(document).all(|document| send.send(document).is_ok())
            });
            if !sent.await {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn document(version: Version) -> Option<Document> {
    let name = version.head.key.name.as_str();
    match version.content {
        Content::Function(content) => Some(Document {
            parameters: content.signature.parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            examples: examples(&content),
            text: content.metadata.values().filter_map(Value::as_str).map(str::to_owned).collect(),
            docstring: content.docstring.clone(),
            ..Document::new(EntryKind::Function, name, &content.description)
        }),
        Content::Graph(content) => Some(Document {
            parameters: pins(&content),
            text: content.nodes.iter().take(INDEXED_NODES).flat_map(words).collect(),
            ..Document::new(EntryKind::Graph, name, &content.description)
        }),
        Content::Trigger(_) | Content::Schedule(_) => None,
    }
}

fn pins(content: &GraphContent) -> Vec<String> {
    let BlockSignature { inputs, outputs, .. } = BlockSignature::of_graph(content);
    inputs.into_iter().chain(outputs).map(|pin| pin.name).filter(|name| name != ERROR).collect()
}

/// What a node says of the graph: its title, what it calls, and the text of a note.
fn words(node: &Node) -> Vec<String> {
    let title = node.metadata.get("title").and_then(Value::as_str);
    let note = node.input.get("text").and_then(Value::as_str);
    let note = note.filter(|_| node.builtin() == Some(Builtin::Note));
    let called = node.calls().map(|(name, _)| name);
    [title, note, called].into_iter().flatten().map(str::to_owned).collect()
}

fn examples(content: &FunctionContent) -> Vec<String> {
    let example = |test: &model::function::test_case::TestCase| match &test.name {
        Some(name) => name.clone(),
        None => Value::Object(test.input.clone()).to_string(),
    };
    content.tests.iter().map(example).collect()
}
