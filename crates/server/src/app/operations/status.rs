//! How the server does: at which revision the brain is, whether it can write, and what it is doing.

use model::access::Access;
use model::access::verb::Verb;
use model::revision::Revision;

use crate::ctx::Ctx;
use crate::engine;
use crate::error::Error;

/// Where the brain is now.
pub(crate) async fn revision(ctx: &Ctx, access: &Access) -> Result<Revision, Error> {
    access.may(Verb::ReadBrain)?;
    Ok(ctx.store.revision().await?)
}

/// What anybody may know.
pub(crate) struct Health {
    pub(crate) revision: Revision,
    /// Nothing can be written now.
    pub(crate) is_degraded: bool,
}

/// An error if the database cannot even be read.
pub(crate) async fn health(ctx: &Ctx) -> Result<Health, Error> {
    Ok(Health { revision: ctx.store.revision().await?, is_degraded: ctx.store.outage().is_some() })
}

/// Why nothing can be written now, for the owner of the machine.
pub(crate) fn degraded(ctx: &Ctx) -> Option<String> {
    ctx.store.outage().map(|outage| outage.detail)
}

pub(crate) fn runs_under_way(ctx: &Ctx) -> usize {
    engine::under_way(ctx)
}
