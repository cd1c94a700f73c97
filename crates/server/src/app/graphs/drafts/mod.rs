//! Drafts of Graphs: begun by the first patch, edited by several people at once, and applied as a Changeset.

mod applying;
mod checking;
mod editing;
mod pins;
mod selections;
mod stored;

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::graph::GraphContent;
use model::graph::check::Problem;
use model::graph::diff::{GraphDiff, diff};
use model::graph::draft::{Draft, Edit};
use model::graph::patch::{Change, Patch};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use self::checking::check;
use self::editing::edited;
use self::pins::pins;
use self::stored::{base, live, stored};
use crate::ctx::Ctx;
use crate::error::Error;

pub use self::applying::{SeenDraft, apply, rebase};
pub use self::pins::{PinView, Pinning, pin, unpin};
pub use self::selections::{Selection, pack, unpack};

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
    /// Outputs that runs of the draft send instead of executing these nodes.
    #[serde(default)]
    pub pins: BTreeMap<String, PinView>,
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

/// Its problems are those that it would have if it was applied together with the drafts `with`.
pub async fn show(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    with: &[EntryName],
) -> Result<DraftView, Error> {
    access.may_touch(Verb::ReadChangesets, name.as_str())?;
    let draft = stored(ctx, name).await?;
    let live = live(ctx, name).await?.map(|(number, _)| number);
    let base = base(ctx, &draft).await?;
    let problems = check(ctx, access, name, &draft.content, with).await?;
    let pins = pins(ctx, name).await?;
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
        pins,
    })
}

/// The edits after one, oldest first.
pub async fn edits(ctx: &Ctx, access: &Access, name: &EntryName, after: u64) -> Result<Vec<Edit>, Error> {
    access.may_touch(Verb::ReadChangesets, name.as_str())?;
    stored(ctx, name).await?;
    let edits = ctx.store.graph_draft_edits(name, after).await?;
    Ok(edits.into_iter().map(|edit| Edit { authority: None, ..edit }).collect())
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
    edited(ctx, access, name, patches, seen, edit).await
}

/// Discards the draft. The live Version stays as it is.
pub async fn discard(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<(), Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    match ctx.store.remove_graph_draft(name, None).await? {
        true => Ok(()),
        false => Err(Error::NoGraphDraft { graph: name.clone() }),
    }
}
