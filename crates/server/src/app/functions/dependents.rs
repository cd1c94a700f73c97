//! Dependents: everything that may break when a Function changes.

use std::collections::HashSet;

use model::access::Access;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::name::EntryName;
use serde::{Deserialize, Serialize};

use super::Which;
use crate::app::functions;
use crate::ctx::Ctx;
use crate::error::Error;

/// An entry that names a Function or another of its dependents.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Dependent {
    #[serde(flatten)]
    pub key: EntryKey,
    pub role: Role,
    /// What it names.
    pub on: EntryKey,
    /// 1 for what names the Function itself.
    pub distance: u32,
    /// How many tests it carries; absent for what carries none by nature.
    pub tests: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Impact {
    pub function: EntryName,
    /// Its own tests.
    pub tests: usize,
    /// The nearest first, each once.
    pub dependents: Vec<Dependent>,
}

/// Callers are followed; what starts or watches one of them is named and not followed. Nothing is followed to the outside.
pub async fn of(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Impact, Error> {
    let root = EntryKey::function(name.clone());
    functions::version(ctx, access, &root, Which::Live).await?;
    let mut seen: HashSet<EntryKey> = HashSet::from([root.clone()]);
    let mut dependents: Vec<Dependent> = Vec::new();
    let mut next = vec![root];
    for distance in 1.. {
        let names: Vec<String> = next.iter().map(|key| key.name.to_string()).collect();
        // Graphs are referred to as functions: a name alone does not tell which it is.
        let mut found = ctx.store.referrers(EntryKind::Function, &names, access.only()).await?;
        found.retain(|(_, _, who)| seen.insert(who.clone()));
        for (on, _, _) in &mut found {
            on.kind = next.iter().find(|key| key.name == on.name).map_or(on.kind, |key| key.kind);
        }
        next =
            found.iter().filter(|(_, role, _)| *role == Role::Calls).map(|(_, _, who)| who.clone()).collect();
        if found.is_empty() {
            break;
        }
        dependents.extend(found.into_iter().map(|(on, role, key)| Dependent {
            key,
            role,
            on,
            distance,
            tests: None,
        }));
    }
    let tests = count_tests(ctx, name, &mut dependents).await?;
    Ok(Impact { function: name.clone(), tests, dependents })
}

/// Fills in the tests of the dependents, and says how many the Function itself has.
async fn count_tests(ctx: &Ctx, name: &EntryName, dependents: &mut [Dependent]) -> Result<usize, Error> {
    let functions = dependents.iter().filter(|one| one.key.kind == EntryKind::Function);
    let names: Vec<EntryName> = functions.map(|one| one.key.name.clone()).chain([name.clone()]).collect();
    let versions = ctx.store.live_callables(&names).await?;
    let mut own = 0;
    for version in versions {
        let tests = version.content.as_function().map_or(0, |content| content.tests.len());
        if version.head.key.name == *name {
            own = tests;
        }
        if let Some(dependent) = dependents.iter_mut().find(|one| one.key == version.head.key) {
            dependent.tests = Some(tests);
        }
    }
    Ok(own)
}
