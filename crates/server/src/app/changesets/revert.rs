//! Undoes an applied Changeset by a new one.

use std::collections::HashMap;

use model::access::Access;
use model::changeset::{Happening, conflicts};
use model::entry::EntryKey;
use model::revision::Revision;

use super::application::Applied;
use super::drafts::{Intent, Proposal, draft};
use super::{Breakage, find, last_moved, register_drafted};
use crate::app::functions::test_results::TestResults;
use crate::ctx::Ctx;
use crate::error::Error;

pub(super) async fn try_revert(
    ctx: &Ctx,
    access: &Access,
    number: u64,
    breakage: Breakage,
    results: &mut TestResults,
) -> Result<Option<Applied>, Error> {
    let changeset = find(ctx, access, number).await?;
    changeset.state.after(Happening::Revert).map_err(|source| Error::Transition { number, source })?;
    let applied = changeset.applied.unwrap_or_default();

    let undone = ctx.store.moves_at(applied).await?;
    let moved = undone.iter().map(|moved| (moved.key.clone(), moved.last_moved_at)).collect();
    let undone_keys: Vec<(EntryKey, bool)> = undone.iter().map(|moved| (moved.key.clone(), true)).collect();
    unmoved_since(number, applied, &undone_keys, &moved)?;
    let intents = undone
        .into_iter()
        .filter(|moved| moved.from != moved.to)
        .map(|moved| match moved.from {
            Some(before) => Intent::Use(moved.key, before),
            None => Intent::Delete(moved.key),
        })
        .collect();
    let title = format!("revert changeset {number}: {}", changeset.title);
    let proposal = Proposal { reverts: Some(changeset.id), breakage, ..Proposal::of(title, intents) };
    let drafted = draft(ctx, access, &proposal).await?;
    // Once more, at the moment that the application is guarded by: someone may have been quick.
    unmoved_since(number, applied, &undone_keys, &last_moved(&drafted))?;
    register_drafted(ctx, access, &proposal, drafted, results).await
}

fn unmoved_since(
    number: u64,
    applied: Revision,
    undone: &[(EntryKey, bool)],
    moved: &HashMap<EntryKey, Revision>,
) -> Result<(), Error> {
    let conflicts = conflicts(applied, undone, moved);
    if conflicts.is_empty() { Ok(()) } else { Err(Error::MovedSince { number, conflicts }) }
}
