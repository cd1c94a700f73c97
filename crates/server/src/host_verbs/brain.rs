//! `brain`: the brain as it was when the Run started, with the Run's own drafts; and proposing them.

use model::access::scope::Scope;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::run::host_verb::HostVerb;
use model::version::Version;
use sandbox::{Arguments, HostError};
use serde_json::{Value as Json, json};
use store::EntryPage;

use super::stop::Stop;
use super::{Host, Refusal, Reply, VerbArguments};
use crate::app::changesets::workspace::{self, Workspace};
use crate::app::functions::search;
use crate::app::functions::{self, Which};
use crate::error::Error;

/// What one answer lists at most.
const MAX_LISTED: u32 = 200;

pub(super) async fn execute(host: &Host<'_>, verb: HostVerb, given: VerbArguments) -> Reply {
    let done = match verb {
        HostVerb::BrainSearch => find(host, given).await,
        HostVerb::BrainRead => read(host, given).await,
        HostVerb::BrainList => list(host, given).await,
        HostVerb::BrainDraft => draft(host, given).await,
        _ => check(host).await,
    };
    done.map_err(Stop::into_refusal)
}

async fn find(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let query = given.required_text("query");
    let limit = given.number("limit").map_or(10, |limit| limit as usize).clamp(1, MAX_LISTED as usize);
    let kinds = [EntryKind::Function];
    let found =
        search::search_as_of(&host.ctx, &host.access(), &query, &kinds, limit, host.run.revision).await?;
    Ok(Json::Array(found.iter().map(summary).collect()))
}

async fn read(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    if let Some(content) = workspace::drafted(&host.ctx, &host.access(), host.workspace, &name).await? {
        return Ok(details(&name, None, &content));
    }
    let key = EntryKey::function(name.clone());
    let version = functions::version(&host.ctx, &host.access(), &key, Which::AsOf(host.run.revision)).await?;
    Ok(details(&name, Some(version.head.number.0), &version.content))
}

async fn list(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let after = given.text("after");
    let limit = given.number("limit").map_or(MAX_LISTED, |limit| limit as u32).clamp(1, MAX_LISTED);
    let page = EntryPage { kind: EntryKind::Function, pack: None, after, limit, scope: Scope::All };
    let entries = functions::list(&host.ctx, &host.access(), page, Some(host.run.revision)).await?;
    let lines =
        entries.iter().map(|entry| json!({ "name": entry.key.name, "description": entry.description }));
    Ok(Json::Array(lines.collect()))
}

async fn draft(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let source = given.open_text("source", host)?;
    let name = given.text("name");
    let (name, content) = workspace::draft(&host.ctx, &host.access(), host.workspace, &source, name).await?;
    Ok(details(&name, None, &content))
}

/// Puts a draft that was journaled before in its place again.
pub(super) fn redraft(workspace: &Workspace, arguments: Arguments) -> Result<(), HostError> {
    let mut given = VerbArguments::new(HostVerb::BrainDraft, arguments)
        .map_err(|refusal| HostError::Failed(refusal.into_error().message))?;
    workspace
        .put_source(&given.required_text("source"), given.text("name"))
        .map_err(|error| HostError::Failed(error.to_string()))
}

async fn check(host: &Host<'_>) -> Result<Json, Stop> {
    need_drafts(host)?;
    Ok(json!(workspace::check(&host.ctx, &host.access(), host.workspace).await?))
}

pub(super) fn need_drafts(host: &Host<'_>) -> Result<(), Refusal> {
    if host.workspace.is_empty() {
        return Err(Refusal::Refused("nothing is drafted; call `brain.draft(source)` first".to_owned()));
    }
    Ok(())
}

fn summary(version: &Version) -> Json {
    let function = version.content.as_function();
    json!({
        "name": version.head.key.name,
        "description": version.content.description(),
        "input": function.map(|function| &function.signature.input),
    })
}

fn details(name: &EntryName, number: Option<u32>, content: &Content) -> Json {
    let Some(function) = content.as_function() else { return Json::Null };
    json!({
        "name": name,
        "version": number,
        "source": function.source,
        "description": function.description,
        "input": function.signature.input,
        "output": function.signature.output,
        "dependencies": function.dependencies,
        "requirements": function.requirements,
        "grants": function.grants,
        "tests": function.tests,
    })
}
