//! Functions as BabyAGI lists them.

use std::collections::BTreeMap;

use model::access::Access;
use model::access::verb::Verb;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::python::Dialect;
use model::version::Version;
use serde_json::Value;

use super::shapes;
use super::triggers::{Upstreams, upstreams};
use crate::ctx::Ctx;
use crate::error::Error;

/// One of these is read at a time.
const PAGE: u32 = 500;

/// The live one, or nothing; a text that cannot be a name is nobody's name.
pub async fn get(ctx: &Ctx, access: &Access, name: &str) -> Result<Option<Value>, Error> {
    access.may_touch(Verb::ReadFunctions, name)?;
    let Ok(name) = EntryName::new(name) else { return Ok(None) };
    let Some(version) = ctx.store.live_version(&EntryKey::function(name)).await? else { return Ok(None) };
    Ok(shape(&version, &upstreams(ctx, access).await?))
}

/// In which form the live one is written that is about to be run; nothing if there is none.
pub(crate) async fn dialect(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Option<Dialect>, Error> {
    access.may_touch(Verb::StartRun, name.as_str())?;
    let live = ctx.store.live_version(&EntryKey::function(name.clone())).await?;
    Ok(live.and_then(|version| version.content.as_function().map(|content| content.dialect)))
}

/// Some of them after a name, by name; fewer than asked for are the last.
pub async fn page(ctx: &Ctx, access: &Access, after: Option<&str>, limit: u32) -> Result<Vec<Value>, Error> {
    access.may(Verb::ReadFunctions)?;
    let upstreams = upstreams(ctx, access).await?;
    let versions = ctx.store.live_versions(EntryKind::Function, after, limit, access.only()).await?;
    Ok(versions.iter().filter_map(|version| shape(version, &upstreams)).collect())
}

/// All of them, by name.
pub async fn all(ctx: &Ctx, access: &Access) -> Result<Vec<Value>, Error> {
    access.may(Verb::ReadFunctions)?;
    let upstreams = upstreams(ctx, access).await?;
    let mut found = Vec::new();
    each(ctx, access, |version| found.extend(shape(version, &upstreams))).await?;
    Ok(found)
}

/// All Versions of a Function, oldest first; none of one that is not there.
pub async fn versions(ctx: &Ctx, access: &Access, name: &str) -> Result<Vec<Value>, Error> {
    access.may_touch(Verb::ReadFunctions, name)?;
    let Ok(name) = EntryName::new(name) else { return Ok(Vec::new()) };
    let upstreams = upstreams(ctx, access).await?;
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
pub async fn imports(ctx: &Ctx, access: &Access, name: &str) -> Result<Vec<Value>, Error> {
    access.may_touch(Verb::ReadFunctions, name)?;
    let Ok(name) = EntryName::new(name) else { return Ok(Vec::new()) };
    let version = ctx.store.live_version(&EntryKey::function(name)).await?;
    let content = version.as_ref().and_then(|version| version.content.as_function());
    Ok(content.map(shapes::import_rows).unwrap_or_default())
}

/// What live functions import, each once, by name.
pub async fn all_imports(ctx: &Ctx, access: &Access) -> Result<Vec<Value>, Error> {
    access.may(Verb::ReadFunctions)?;
    let mut found = BTreeMap::new();
    each(ctx, access, |version| {
        for row in version.content.as_function().map(shapes::import_rows).unwrap_or_default() {
            found.entry(row["name"].to_string()).or_insert(row);
        }
    })
    .await?;
    Ok(found.into_values().collect())
}

async fn each(ctx: &Ctx, access: &Access, mut visit: impl FnMut(&Version)) -> Result<(), Error> {
    let mut after: Option<String> = None;
    loop {
        let after_name = after.as_deref();
        let page = ctx.store.live_versions(EntryKind::Function, after_name, PAGE, access.only()).await?;
        page.iter().for_each(&mut visit);
        let Some(last) = page.last().filter(|_| page.len() >= PAGE as usize) else { return Ok(()) };
        after = Some(last.head.key.name.to_string());
    }
}

fn shape(version: &Version, upstreams: &Upstreams) -> Option<Value> {
    let content = version.content.as_function()?;
    Some(shapes::function(version, content, upstreams.of(version.head.key.name.as_str())))
}
