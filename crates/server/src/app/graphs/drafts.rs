//! Drafts of Graphs: begun by the first patch, edited by several people at once, and applied as a Changeset.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::check::Problem;
use model::graph::diff::{GraphDiff, diff};
use model::graph::draft::{Draft, DraftError, Edit, Edited, Touched};
use model::graph::patch::{Change, Patch};
use model::graph::{GraphContent, subgraph};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use super::check;
use crate::app::changesets::drafts::{Expected, Intent, Proposal};
use crate::app::changesets::{self, Applied, Breakage};
use crate::ctx::Ctx;
use crate::error::Error;

/// How often an edit is repeated on what others made of the draft meanwhile.
const ATTEMPTS: usize = 64;

/// A draft, with what it changes and what is wrong with it.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct DraftView {
    pub name: EntryName,
    /// How often it was edited. Sent along with patches, it says what the editor has seen.
    pub edit: u64,
    /// The version that it began with.
    pub base: Option<VersionNumber>,
    /// The version that callers get. If it is not `base`, the draft has to be rebased before it can be applied.
    pub live: Option<VersionNumber>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub graph: GraphContent,
    /// From `base` to the draft.
    pub diff: GraphDiff,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct DraftLine {
    pub name: EntryName,
    pub edit: u64,
    pub base: Option<VersionNumber>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub nodes: usize,
}

/// What an edit did.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct DraftEdited {
    pub edit: u64,
    /// One for each patch.
    pub changes: Vec<Change>,
    /// From the version that the draft began with to the draft as it is stored now.
    pub diff: GraphDiff,
    pub problems: Vec<Problem>,
}

/// A selection that becomes a Graph of its own.
#[derive(Clone, Debug)]
pub struct Selection {
    pub nodes: BTreeSet<String>,
    /// The id of the node that takes their place.
    pub node: String,
    /// The name of the new Graph, which is a draft, too.
    pub graph: EntryName,
}

pub async fn list(
    ctx: &Ctx,
    access: &Access,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<DraftLine>, Error> {
    access.may(Verb::ReadChangesets)?;
    let drafts = ctx.store.graph_drafts(after, limit, access.only()).await?.into_iter();
    let line = |draft: Draft| DraftLine {
        nodes: draft.content.nodes.len(),
        name: draft.name,
        edit: draft.edit,
        base: draft.base,
        created_at: draft.created_at,
        updated_at: draft.updated_at,
    };
    Ok(drafts.map(line).collect())
}

pub async fn show(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<DraftView, Error> {
    access.may_touch(Verb::ReadChangesets, name.as_str())?;
    let draft = stored(ctx, name).await?;
    let live = live(ctx, name).await?.map(|(number, _)| number);
    let base = base(ctx, &draft).await?;
    let problems = check(ctx, access, Some(name), &draft.content).await?;
    Ok(DraftView {
        diff: diff(&base, &draft.content),
        name: draft.name,
        edit: draft.edit,
        base: draft.base,
        live,
        created_at: draft.created_at,
        updated_at: draft.updated_at,
        graph: draft.content,
        problems,
    })
}

/// The edits after one, oldest first.
pub async fn edits(ctx: &Ctx, access: &Access, name: &EntryName, after: u64) -> Result<Vec<Edit>, Error> {
    access.may_touch(Verb::ReadChangesets, name.as_str())?;
    stored(ctx, name).await?;
    Ok(ctx.store.graph_draft_edits(name, after).await?)
}

/// Applies all patches or none. A Graph without a draft gets one: of its live Version, or an empty one.
pub async fn patch(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    patches: &[Patch],
    seen: Option<u64>,
) -> Result<DraftEdited, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let edit = |draft: &Draft, since: &[Edit]| Ok((draft.edited(patches, seen, since)?, None));
    edited(ctx, access, name, patches, edit).await
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
    match edited(ctx, access, name, &[], edit).await {
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
    edited(ctx, access, name, &[], edit).await
}

/// Whether there was one.
pub async fn discard(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<(), Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    match ctx.store.remove_graph_draft(name, None).await? {
        true => Ok(()),
        false => Err(Error::NoGraphDraft { graph: name.clone() }),
    }
}

/// Repeats the edits of a draft on the live Version. With `force` the draft stays as it is, and what others changed is undone by it.
pub async fn rebase(ctx: &Ctx, access: &Access, name: &EntryName, force: bool) -> Result<DraftView, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    for _ in 0..ATTEMPTS {
        let draft = stored(ctx, name).await?;
        let live = live(ctx, name).await?;
        let number = live.as_ref().map(|(number, _)| *number);
        if number == draft.base {
            break;
        }
        let live = live.map(|(_, content)| content).unwrap_or_default();
        let base = base(ctx, &draft).await?;
        let content = if force {
            draft.content.clone()
        } else {
            let edits = ctx.store.graph_draft_edits(name, 0).await?;
            draft.rebased(&base, &live, &edits).map_err(|source| of(name, source))?
        };
        let touched = Touched::of(&diff(&base, &live));
        let edit = Edit { rebased_on: number, ..edit(ctx, access, &draft, Vec::new(), touched) };
        let moved = Draft { base: number, content, ..draft };
        match write(ctx, moved, &edit, None).await {
            Ok(_) => break,
            Err(error) if error.is_stale() => {}
            Err(error) => return Err(error),
        }
    }
    show(ctx, access, name).await
}

/// Applies drafts as one Changeset, if they pass its checks and nobody changed what they began with. What was edited while this was
/// done stays a draft, of the new Version.
pub async fn apply(
    ctx: &Ctx,
    access: &Access,
    names: &[EntryName],
    title: Option<String>,
    breakage: Breakage,
) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    let (mut intents, mut expected, mut drafts) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        access.may_touch(Verb::ApplyChangeset, name.as_str())?;
        let draft = stored(ctx, name).await?;
        intents.push(Intent::Put(name.clone(), Content::Graph(draft.content.clone())));
        expected.push((key(name), draft.base.map_or(Expected::Absent, Expected::Version)));
        drafts.push(draft);
    }
    let proposal = Proposal { expected, breakage, ..Proposal::of(title.unwrap_or_default(), intents) };
    let applied = changesets::register(ctx, access, &proposal).await?;
    for draft in drafts {
        if !ctx.store.remove_graph_draft(&draft.name, Some(draft.edit)).await? {
            // It goes on from what was applied.
            rebase(ctx, access, &draft.name, true).await?;
        }
    }
    Ok(applied)
}

/// Repeats an edit until nobody else is quicker.
async fn edited(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    patches: &[Patch],
    make: impl Fn(&Draft, &[Edit]) -> Result<(Edited, Option<Draft>), EditError>,
) -> Result<DraftEdited, Error> {
    for _ in 0..ATTEMPTS {
        let (draft, is_stored) = begun(ctx, name).await?;
        let since = ctx.store.graph_draft_edits(name, 0).await?;
        let (Edited { content, changes, touched }, made) =
            make(&draft, &since).map_err(|error| error.of(name))?;
        if !is_stored && !add(ctx, &draft).await? {
            continue;
        }
        let edit = edit(ctx, access, &draft, patches.to_vec(), touched);
        match write(ctx, Draft { content, ..draft }, &edit, made.as_ref()).await {
            Ok(()) => return read_back(ctx, access, name, edit.number, changes).await,
            Err(error) if error.is_stale() => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Contended)
}

/// Why a draft was not edited.
enum EditError {
    Draft(DraftError),
    Other(Error),
}

impl From<DraftError> for EditError {
    fn from(error: DraftError) -> EditError {
        EditError::Draft(error)
    }
}

impl From<subgraph::PackError> for EditError {
    fn from(error: subgraph::PackError) -> EditError {
        EditError::Other(error.into())
    }
}

impl From<subgraph::UnpackError> for EditError {
    fn from(error: subgraph::UnpackError) -> EditError {
        EditError::Other(error.into())
    }
}

impl EditError {
    fn of(self, name: &EntryName) -> Error {
        match self {
            EditError::Draft(source) => of(name, source),
            EditError::Other(error) => error,
        }
    }
}

fn of(name: &EntryName, source: DraftError) -> Error {
    Error::GraphDraft { graph: name.clone(), source }
}

fn edit(ctx: &Ctx, access: &Access, draft: &Draft, patches: Vec<Patch>, touched: Touched) -> Edit {
    let (number, actor, at) = (draft.edit + 1, access.actor.clone(), ctx.clock.now());
    Edit { number, actor, at, patches, touched, rebased_on: None }
}

async fn write(ctx: &Ctx, draft: Draft, edit: &Edit, made: Option<&Draft>) -> Result<(), Error> {
    let draft = Draft { edit: edit.number, updated_at: edit.at, ..draft };
    Ok(ctx.store.edit_graph_draft(&draft, edit, made).await?)
}

/// What is told is what is stored.
async fn read_back(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    edit: u64,
    changes: Vec<Change>,
) -> Result<DraftEdited, Error> {
    let draft = stored(ctx, name).await?;
    let base = base(ctx, &draft).await?;
    let problems = check(ctx, access, Some(name), &draft.content).await?;
    Ok(DraftEdited { edit, changes, diff: diff(&base, &draft.content), problems })
}

async fn stored(ctx: &Ctx, name: &EntryName) -> Result<Draft, Error> {
    let draft = ctx.store.graph_draft(name).await?;
    draft.ok_or_else(|| Error::NoGraphDraft { graph: name.clone() })
}

/// The draft that there is, or else one of what is live, and whether it is stored.
async fn begun(ctx: &Ctx, name: &EntryName) -> Result<(Draft, bool), Error> {
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

/// Whether nobody else was quicker.
async fn add(ctx: &Ctx, draft: &Draft) -> Result<bool, Error> {
    match ctx.store.add_graph_draft(draft).await {
        Ok(()) => Ok(true),
        Err(store::Error::Unique { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn key(name: &EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name.clone())
}

async fn live(ctx: &Ctx, name: &EntryName) -> Result<Option<(VersionNumber, GraphContent)>, Error> {
    let version = ctx.store.live_version(&key(name)).await?;
    Ok(version.and_then(|version| match version.content {
        Content::Graph(graph) => Some((version.head.number, graph)),
        _ => None,
    }))
}

/// What a draft began with; nothing for one of a new Graph.
async fn base(ctx: &Ctx, draft: &Draft) -> Result<GraphContent, Error> {
    let Some(number) = draft.base else { return Ok(GraphContent::default()) };
    numbered(ctx, &draft.name, number).await
}

async fn numbered(ctx: &Ctx, name: &EntryName, number: VersionNumber) -> Result<GraphContent, Error> {
    match ctx.store.version(&key(name), number).await?.map(|version| version.content) {
        Some(Content::Graph(graph)) => Ok(graph),
        _ => Err(Error::VersionNotFound { key: key(name), number }),
    }
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
