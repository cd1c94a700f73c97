//! Drafts become Versions, and follow the live Version.

use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::content::Content;
use model::graph::diff::diff;
use model::graph::draft::{Draft, Edit, Touched};
use model::name::EntryName;
use serde::{Deserialize, Serialize};

use super::editing::{ATTEMPTS, draft_error, edit, write};
use super::stored::{base, key, live, stored};
use super::{DraftView, show};
use crate::app::changesets::drafts::{Expected, Intent, Proposal};
use crate::app::changesets::{self, Applied, Breakage};
use crate::ctx::Ctx;
use crate::error::Error;

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
            draft.rebased(&base, &live, &edits).map_err(|source| draft_error(name, source))?
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
    show(ctx, access, name, &[]).await
}

/// A draft as somebody has read it.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeenDraft {
    pub name: EntryName,
    /// The last edit in what was read.
    pub edit: u64,
}

/// Applies drafts as one Changeset, if they pass its checks and nobody changed what they began with. What was edited while this was
/// done stays a draft, of the new Version.
///
/// Whoever applies a draft answers for what they have seen of it, so it must be as they have seen it; and everybody who edited it is
/// judged as if they applied it.
pub async fn apply(
    ctx: &Ctx,
    access: &Access,
    seen: &[SeenDraft],
    title: Option<String>,
    breakage: Breakage,
) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    let (mut intents, mut expected, mut drafts) = (Vec::new(), Vec::new(), Vec::new());
    let mut editors: Vec<Authority> = Vec::new();
    for SeenDraft { name, edit } in seen {
        access.may_touch(Verb::ApplyChangeset, name.as_str())?;
        let draft = stored(ctx, name).await?;
        let edits = ctx.store.graph_draft_edits(name, 0).await?;
        draft.is_at(*edit, &edits).map_err(|source| draft_error(name, source))?;
        for authority in edits.into_iter().filter_map(|edit| edit.authority) {
            if authority != *access.authority && !editors.contains(&authority) {
                editors.push(authority);
            }
        }
        intents.push(Intent::Put(name.clone(), Content::Graph(draft.content.clone())));
        expected.push((key(name), draft.base.map_or(Expected::Absent, Expected::Version)));
        drafts.push(draft);
    }
    let proposal =
        Proposal { expected, breakage, editors, ..Proposal::of(title.unwrap_or_default(), intents) };
    let applied = changesets::register(ctx, access, &proposal).await?;
    for draft in drafts {
        if !ctx.store.remove_graph_draft(&draft.name, Some(draft.edit)).await? {
            // It goes on from what was applied.
            rebase(ctx, access, &draft.name, true).await?;
        }
    }
    Ok(applied)
}
