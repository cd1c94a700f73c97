//! Which Version is meant, and why it is not there.

use model::access::scope::Scope;
use model::changeset::check::nearest;
use model::entry::EntryKey;
use model::revision::Revision;
use model::version::VersionNumber;

use crate::ctx::Ctx;
use crate::error::Error;

/// Which Version is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Live,
    Number(VersionNumber),
    AsOf(Revision),
}

/// Why a Version is not there, with the name in scope that was perhaps meant.
pub(crate) async fn not_found(
    ctx: &Ctx,
    scope: &Scope,
    key: &EntryKey,
    which: Which,
) -> Result<Error, Error> {
    let known = !ctx.store.versions(key).await?.is_empty();
    match which {
        Which::Number(number) if known => return Ok(Error::VersionNotFound { key: key.clone(), number }),
        Which::AsOf(revision) if known => return Ok(Error::NotLiveThen { key: key.clone(), revision }),
        _ => {}
    }
    let names = ctx.store.entry_names(key.kind, scope).await?;
    let near = nearest(key.name.as_str(), &names).map(str::to_owned);
    Ok(Error::NotFound { key: key.clone(), near })
}
