//! A function as declared in BabyAGI's terms, as a Proposal.
//!
//! Registering declares everything except the description, which others may have added in the meantime; updating keeps what
//! it does not declare.

use std::collections::BTreeMap;

use model::access::Access;
use model::access::grants::{BrainGrant, Grants};
use model::access::verb::Verb;
use model::content::Content;
use model::entry::EntryKey;
use model::function::{FunctionContent, FunctionDraft};
use model::name::EntryName;
use model::python::{Declared, DeclaredDependency, Dialect, babyagi_imports};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::triggers;
use crate::app::changesets::drafts::{FunctionIntent, Intent, Proposal};
use crate::app::functions::{Which, version};
use crate::ctx::Ctx;
use crate::error::Error;

/// The arguments of `add_function` and `update_function`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Stated {
    pub code: Option<String>,
    pub metadata: Option<Map<String, Value>>,
    pub imports: Option<Value>,
    pub dependencies: Option<Vec<String>>,
    pub triggers: Option<Vec<String>>,
    pub key_dependencies: Option<Vec<String>>,
}

/// Adds a function, or a version of it.
pub async fn registration(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    stated: Stated,
) -> Result<Proposal, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let live = ctx.store.live_version(&EntryKey::function(name.clone())).await?;
    let live = live.as_ref().and_then(|version| version.content.as_function());
    let code =
        stated.code.clone().ok_or_else(|| wrong("there is no `code`", "give the source of the function"))?;
    let mut declared = declared(&stated)?;
    keep_description(&mut declared, live);
    let own = declared.secrets.take().unwrap_or_default();
    widen(ctx, access, &mut declared, own).await?;
    let draft = FunctionDraft {
        name: Some(name.clone()),
        source: Some(code),
        dialect: Dialect::Babyagi,
        declared,
        keep: false,
    };
    proposal(ctx, access, name, draft, &stated.triggers.unwrap_or_default()).await
}

/// Changes what is stated of a function that is there.
pub async fn update(ctx: &Ctx, access: &Access, name: EntryName, stated: Stated) -> Result<Proposal, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let live = version(ctx, access, &EntryKey::function(name.clone()), Which::Live).await?;
    let Content::Function(live) = live.content else {
        return Err(wrong("it is not a function", "name a function"));
    };
    let mut declared = declared(&stated)?;
    if let Some(metadata) = declared.metadata.take() {
        let mut merged = live.metadata.clone();
        merged.extend(metadata);
        declared.metadata = Some(merged);
    }
    if declared.secrets.is_some() || declared.dependencies.is_some() {
        let own = declared.secrets.take().unwrap_or_else(|| live.grants.secrets.iter().cloned().collect());
        widen(ctx, access, &mut declared, own).await?;
    }
    let kept = triggers::of(ctx, access, name.as_str()).await?;
    let draft = FunctionDraft {
        name: Some(name.clone()),
        source: Some(stated.code.unwrap_or(live.source)),
        declared,
        keep: true,
        ..FunctionDraft::default()
    };
    proposal(ctx, access, name, draft, &stated.triggers.unwrap_or(kept)).await
}

async fn proposal(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    draft: FunctionDraft,
    sources: &[String],
) -> Result<Proposal, Error> {
    let mut intents = triggers::declared(ctx, access, &name, sources).await?;
    let file = Some(name.to_string());
    intents.push(Intent::Function(Box::new(FunctionIntent { draft, analysis: None, file })));
    Ok(Proposal::of("", intents))
}

fn declared(stated: &Stated) -> Result<Declared, Error> {
    let mut declared = Declared { secrets: stated.key_dependencies.clone(), ..Declared::default() };
    if let Some(metadata) = &stated.metadata {
        declared.description = metadata.get("description").and_then(Value::as_str).map(str::to_owned);
        declared.metadata = Some(metadata.clone());
    }
    if let Some(imports) = &stated.imports {
        let (names, requirements) = babyagi_imports(imports).map_err(|problem| {
            wrong(&format!("`imports` {problem}"), "write names, or objects with `name` and `lib`")
        })?;
        (declared.imports, declared.requirements) = (Some(names), Some(requirements));
    }
    if let Some(dependencies) = &stated.dependencies {
        let parsed = dependencies.iter().map(|text| {
            DeclaredDependency::parse(text).ok_or_else(|| {
                wrong(&format!("`{text}` is not a valid function name"), "write only its name")
            })
        });
        declared.dependencies = Some(parsed.collect::<Result<_, _>>()?);
    }
    Ok(declared)
}

/// A function that is registered again without a description keeps the one it has, so that nothing changes because
/// someone described it in the meantime.
fn keep_description(declared: &mut Declared, live: Option<&FunctionContent>) {
    let stated = declared.description.as_deref().is_some_and(|text| !text.trim().is_empty());
    let Some(kept) = live.and_then(|live| live.stated.description.clone()).filter(|_| !stated) else {
        return;
    };
    declared.metadata.get_or_insert_default().insert("description".to_owned(), kept.clone().into());
    declared.description = Some(kept);
}

/// Functions in BabyAGI's form hand live objects to each other, so they have to share a cell, and whoever calls gets the
/// grants of what it calls.
async fn widen(ctx: &Ctx, access: &Access, declared: &mut Declared, own: Vec<String>) -> Result<(), Error> {
    let names = declared.dependencies.iter().flatten();
    let names = names.filter(|one| access.authority.may_call(&one.function));
    let names: Vec<EntryName> = names.filter_map(|one| EntryName::new(&one.function).ok()).collect();
    let mut grants = Grants { secrets: own.into_iter().collect(), ..Grants::default() };
    for version in ctx.store.live_callables(&names).await? {
        match version.content.as_function() {
            Some(content) if content.dialect == Dialect::Babyagi => grants.widen(&content.grants),
            _ => {}
        }
    }
    declared.options.extend(options(&grants));
    declared.secrets = Some(grants.secrets.into_iter().collect());
    Ok(())
}

fn options(grants: &Grants) -> BTreeMap<String, Value> {
    let mut options = BTreeMap::new();
    let mut state = |name: &str, value: Value| drop(options.insert(name.to_owned(), value));
    if !grants.network.is_empty() {
        state("network", json!(grants.network));
    }
    if grants.model {
        state("model", true.into());
    }
    if grants.files {
        state("files", true.into());
    }
    if let Some(word) = grants.storage.word() {
        state("storage", word.into());
    }
    match grants.brain {
        BrainGrant::None => {}
        BrainGrant::Read => state("brain", "read".into()),
        BrainGrant::Propose => state("brain", "propose".into()),
    }
    options
}

fn wrong(problem: &str, hint: &str) -> Error {
    Error::Input { problem: problem.to_owned(), hint: hint.to_owned() }
}
