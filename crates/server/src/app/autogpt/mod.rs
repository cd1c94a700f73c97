//! AutoGPT's server of 2024 as verbs: graphs, templates, blocks, executions and schedules in its shapes.
//!
//! An id there is that of an entry here, and a version is our version number. Graphs are read and shown by `model/graph/exchange`;
//! everything is checked, applied, run and recorded as through every other door.

pub(crate) mod blocks;
pub(crate) mod executions;
pub(crate) mod feed;
pub(crate) mod graphs;
mod library;
pub(crate) mod schedules;
mod shapes;

use model::access::Access;
use model::access::verb::Verb;
use model::entry::EntryKind;
use model::ids::EntryId;
use model::name::EntryName;

use crate::ctx::Ctx;
use crate::error::Error;

/// The name of the entry with an id, if it may be touched; what is outside is not there.
pub(crate) async fn find(
    ctx: &Ctx,
    access: &Access,
    verb: Verb,
    kind: EntryKind,
    id: &str,
) -> Result<Option<EntryName>, Error> {
    access.may(verb)?;
    let Ok(id) = id.parse::<EntryId>() else { return Ok(None) };
    let mut found = ctx.store.entry_keys(&[id]).await?;
    let key = found.remove(&id).filter(|key| key.kind == kind && access.covers(key.name.as_str()));
    Ok(key.map(|key| key.name))
}
