//! One edit of a draft: made of what is stored, and repeated when somebody else was quicker.

use model::access::Access;
use model::graph::diff::diff;
use model::graph::draft::{Draft, DraftError, Edit, Edited, Touched};
use model::graph::patch::{Change, Patch};
use model::graph::subgraph;
use model::name::EntryName;

use super::DraftEdited;
use super::checking::check;
use super::stored::{base, begun, stored};
use crate::ctx::Ctx;
use crate::error::Error;

/// How often an edit is repeated on what others made of the draft meanwhile.
pub(super) const ATTEMPTS: usize = 64;

/// Repeats an edit until nobody else is quicker. `make` gets what was edited since `seen`, without patches.
pub(super) async fn edited(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    patches: &[Patch],
    seen: Option<u64>,
    make: impl Fn(&Draft, &[Edit]) -> Result<(Edited, Option<Draft>), EditError>,
) -> Result<DraftEdited, Error> {
    for _ in 0..ATTEMPTS {
        let (draft, is_stored) = begun(ctx, name).await?;
        // Whoever says nothing of what was seen is compared with nobody.
        let since = match seen {
            Some(seen) => ctx.store.graph_draft_touched(name, seen).await?,
            None => Vec::new(),
        };
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
pub(super) enum EditError {
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
            EditError::Draft(source) => draft_error(name, source),
            EditError::Other(error) => error,
        }
    }
}

pub(super) fn draft_error(name: &EntryName, source: DraftError) -> Error {
    Error::GraphDraft { graph: name.clone(), source }
}

pub(super) fn edit(ctx: &Ctx, access: &Access, draft: &Draft, patches: Vec<Patch>, touched: Touched) -> Edit {
    let (number, actor, at) = (draft.edit + 1, access.actor.clone(), ctx.clock.now());
    let authority = Some((*access.authority).clone());
    Edit { number, actor, authority, at, patches, touched, rebased_on: None }
}

pub(super) async fn write(ctx: &Ctx, draft: Draft, edit: &Edit, made: Option<&Draft>) -> Result<(), Error> {
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
    let problems = check(ctx, access, name, &draft.content, &[]).await?;
    Ok(DraftEdited { edit, changes, diff: diff(&base, &draft.content), problems })
}

/// Whether nobody else was quicker.
pub(super) async fn add(ctx: &Ctx, draft: &Draft) -> Result<bool, Error> {
    match ctx.store.add_graph_draft(draft).await {
        Ok(()) => Ok(true),
        Err(store::Error::Unique { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
