//! Warming: builds the environments of Functions ahead of their first Run.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use model::access::Access;
use model::access::verb::Verb;
use model::ids::VersionId;
use model::name::EntryName;
use serde::{Deserialize, Serialize};

use crate::ctx::Ctx;
use crate::engine::ProgressListener;
use crate::error::Error;
use crate::prepare::{Callable, Prepared};

/// One environment that is ready.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Warmed {
    /// What it is for: `name@version`.
    pub functions: Vec<String>,
    /// Its packages, as `pip` writes them.
    pub packages: Vec<String>,
}

/// Makes the environments of these Functions, and of what they call that runs in cells of its own, and starts them here.
pub async fn warm(
    ctx: &Ctx,
    access: &Access,
    names: &[EntryName],
    told: ProgressListener,
) -> Result<Vec<Warmed>, Error> {
    access.may(Verb::PrepareEnvironments)?;
    for name in names {
        access.may_touch(Verb::PrepareEnvironments, name.as_str())?;
    }
    let mut warmed: Vec<Warmed> = Vec::new();
    for prepared in needed(ctx, names).await? {
        let (key, Some(number)) = (&prepared.key, prepared.number) else { continue };
        // What runs in a cell of its own may be a function that the caller does not see.
        let is_seen = access.covers(key.name.as_str());
        let function = is_seen.then(|| format!("{}@{number}", key.name));
        let Some(loaded) = prepared.function() else { continue };
        let packages: BTreeSet<&String> = loaded.requirements.iter().collect();
        match warmed.iter_mut().find(|one| one.packages.iter().eq(packages.iter().copied())) {
            Some(same) => same.functions.extend(function),
            None => {
                let packages: Vec<String> = packages.into_iter().cloned().collect();
                ctx.engine.executor.prepare(packages.clone(), Arc::clone(&told)).await?;
                warmed.push(Warmed { functions: function.into_iter().collect(), packages });
            }
        }
    }
    warmed.retain(|one| !one.functions.is_empty());
    Ok(warmed)
}

/// What has a cell of its own.
async fn needed(ctx: &Ctx, names: &[EntryName]) -> Result<Vec<Arc<Prepared>>, Error> {
    let closures = &ctx.engine.closures;
    let mut needed = Vec::new();
    let mut seen: HashSet<VersionId> = HashSet::new();
    let mut next = Vec::new();
    for name in names {
        next.push(closures.live(ctx, name).await?);
    }
    next.reverse();
    while let Some(prepared) = next.pop() {
        if !prepared.version_id.is_some_and(|version| seen.insert(version)) {
            continue;
        }
        let mut elsewhere: Vec<VersionId> = match &prepared.callable {
            Callable::Function(function) => function.elsewhere.values().copied().collect(),
            Callable::Graph(graph, _) => graph.calls().collect(),
        };
        elsewhere.sort_unstable();
        for version in elsewhere {
            next.push(closures.of_version(ctx, version).await?);
        }
        needed.push(prepared);
    }
    Ok(needed)
}
