//! Graphs: checking them, describing what they can place, and editing them as drafts. They are read, listed and applied like
//! every entry: see `functions` and `changesets`.

pub mod blocks;
pub mod drafts;
pub(crate) mod library;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::check::Problem;
use model::graph::{self, GraphContent};
use model::name::EntryName;

use self::library::Library;
use crate::ctx::Ctx;
use crate::error::Error;

/// Everything that is wrong with a Graph, with node and pin. Under its name, if it has one, it is told whether it contains itself.
pub async fn check(
    ctx: &Ctx,
    access: &Access,
    name: Option<&EntryName>,
    content: &GraphContent,
) -> Result<Vec<Problem>, Error> {
    access.may(Verb::ReadFunctions)?;
    let library = Library::read(ctx, access, std::iter::empty(), std::iter::once(content)).await?;
    Ok(graph::check(content, name, &library))
}
