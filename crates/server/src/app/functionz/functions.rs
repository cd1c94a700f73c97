//! Functions as BabyAGI lists them.

use std::collections::BTreeMap;

use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::version::Version;
use serde_json::Value;

use super::shapes;
use super::triggers::{Upstreams, upstreams};
use crate::app::error::Error;
use crate::ctx::Ctx;

/// One of these is read at a time.
const PAGE: u32 = 500;

/// The live one, or nothing; a text that cannot be a name is nobody's name.
pub async fn get(ctx: &Ctx, name: &str) -> Result<Option<Value>, Error> {
    let Ok(name) = EntryName::new(name) else { return Ok(None) };
    let Some(version) = ctx.store.live_version(&EntryKey::function(name)).await? else { return Ok(None) };
    Ok(shape(&version, &upstreams(ctx).await?))
}

/// Some of them after a name, by name; fewer than asked for are the last.
pub async fn page(ctx: &Ctx, after: Option<&str>, limit: u32) -> Result<Vec<Value>, Error> {
    let upstreams = upstreams(ctx).await?;
    let versions = ctx.store.live_versions(EntryKind::Function, after, limit).await?;
    Ok(versions.iter().filter_map(|version| shape(version, &upstreams)).collect())
}

/// All of them, by name.
pub async fn all(ctx: &Ctx) -> Result<Vec<Value>, Error> {
    let upstreams = upstreams(ctx).await?;
    let mut found = Vec::new();
    each(ctx, |version| found.extend(shape(version, &upstreams))).await?;
    Ok(found)
}

/// All Versions of a Function, oldest first; none of one that is not there.
pub async fn versions(ctx: &Ctx, name: &str) -> Result<Vec<Value>, Error> {
    let Ok(name) = EntryName::new(name) else { return Ok(Vec::new()) };
    let upstreams = upstreams(ctx).await?;
    let triggers = upstreams.of(name.as_str());
    let key = EntryKey::function(name);
    let live = ctx.store.live_version(&key).await?.map(|version| version.head.version_id);
    let mut versions = Vec::new();
    for head in ctx.store.versions(&key).await? {
        let Some(version) = ctx.store.version(&key, head.number).await? else { continue };
        let is_live = Some(head.version_id) == live;
        versions.extend(
            version
                .content
                .as_function()
                .map(|content| shapes::version(&version, content, is_live, triggers)),
        );
    }
    Ok(versions)
}

/// What the live version imports.
pub async fn imports(ctx: &Ctx, name: &str) -> Result<Vec<Value>, Error> {
    let Ok(name) = EntryName::new(name) else { return Ok(Vec::new()) };
    let version = ctx.store.live_version(&EntryKey::function(name)).await?;
    let content = version.as_ref().and_then(|version| version.content.as_function());
    Ok(content.map(shapes::import_rows).unwrap_or_default())
}

/// What live functions import, each once, by name.
pub async fn all_imports(ctx: &Ctx) -> Result<Vec<Value>, Error> {
    let mut found = BTreeMap::new();
    each(ctx, |version| {
        for row in version.content.as_function().map(shapes::import_rows).unwrap_or_default() {
            found.entry(row["name"].to_string()).or_insert(row);
        }
    })
    .await?;
    Ok(found.into_values().collect())
}

async fn each(ctx: &Ctx, mut visit: impl FnMut(&Version)) -> Result<(), Error> {
    let mut after: Option<String> = None;
    loop {
        let page = ctx.store.live_versions(EntryKind::Function, after.as_deref(), PAGE).await?;
        page.iter().for_each(&mut visit);
        let Some(last) = page.last().filter(|_| page.len() >= PAGE as usize) else { return Ok(()) };
        after = Some(last.head.key.name.to_string());
    }
}

fn shape(version: &Version, upstreams: &Upstreams) -> Option<Value> {
    let content = version.content.as_function()?;
    Some(shapes::function(version, content, upstreams.of(version.head.key.name.as_str())))
}
