//! Graphs: checking them, describing what they can place, editing them as drafts, and what can be made of one: a file, a
//! picture, an estimate, a list of upgrades. They are read, listed and applied like every entry: see `functions` and `changesets`.

pub mod blocks;
pub mod drafts;
pub mod drawing;
pub mod estimates;
pub mod exchange;
pub(crate) mod library;
pub mod source;
pub mod upgrades;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::check::Problem;
use model::graph::{self, GraphContent};
use model::name::EntryName;

use self::library::Library;
use crate::blocking::blocking;
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
    let (content, name) = (content.clone(), name.cloned());
    // A large graph takes long, and other requests must not wait for it.
    Ok(blocking(move || graph::check(&content, name.as_ref(), &library)).await)
}
