//! Nodes that pin an older Version than the live one.

use std::collections::HashMap;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::upgrade::{Upgrade, pinned_names, upgrades};
use model::name::EntryName;
use model::version::VersionNumber;

use super::library::Library;
use super::source::{GraphSource, content};
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;

/// In the order of the nodes, as far as the caller may read what they call.
pub async fn list(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    source: GraphSource,
) -> Result<Vec<Upgrade>, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let content = content(ctx, access, name, source).await?;
    let pinned = pinned_names(&content).into_iter().filter(|name| access.covers(name));
    let names: Vec<EntryName> = pinned.filter_map(|name| EntryName::new(name).ok()).collect();
    let live: HashMap<String, VersionNumber> = ctx
        .store
        .live_callables(&names)
        .await?
        .into_iter()
        .map(|version| (version.head.key.name.to_string(), version.head.number))
        .collect();
    let mut library = Library::read(ctx, access, std::iter::empty(), std::iter::once(&content)).await?;
    // The live versions of what is pinned.
    library.read_also(ctx, names.iter().map(|name| (name.to_string(), None)).collect()).await?;
    Ok(blocking(move || upgrades(&content, &library, &|name| live.get(name).copied())).await)
}
