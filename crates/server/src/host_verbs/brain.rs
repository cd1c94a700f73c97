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

use super::drafts::Drafts;
use super::stop::Stop;
use super::{Host, Refusal, Reply, VerbArguments};
use crate::app::changesets;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::functions::{self, Which};
use crate::app::functions::{search, trials};
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
    // Graphs are found as well, and left out.
    let found = search::search(&host.ctx, &host.access(), &query, limit * 4).await?;
    let mut lines = Vec::new();
    for hit in found.into_iter().filter(|hit| hit.kind == EntryKind::Function).take(limit) {
        // The index shows the brain as it is now; the Run sees it as it was.
        let Ok(name) = hit.name.parse() else { continue };
        let key = EntryKey::function(name);
        if let Some(version) = host.ctx.store.version_as_of(&key, host.run.revision).await? {
            lines.push(summary(&version));
        }
    }
    Ok(Json::Array(lines))
}

async fn read(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let proposal = host.drafts().proposal_with(&name);
    if let Some(proposal) = proposal {
        let content = trials::drafted_content(&host.ctx, &host.access(), &proposal, &name).await?;
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

/// The source of a function, decorated or bare.
fn intent(source: &str, name: Option<String>) -> Result<(EntryName, Intent), Error> {
    let name = name.map(|name| name.parse()).transpose()?;
    let intent = functions::read_function(source, "draft.py", name.as_ref())?;
    let name = match (name, &intent) {
        (Some(name), _) => name,
        (None, Intent::Function(function)) => function.name()?,
        (None, _) => unreachable!("a source is the intent of a function"),
    };
    Ok((name, intent))
}

async fn draft(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let source = given.open_text("source", host)?;
    let (name, intent) = intent(&source, given.text("name"))?;
    let proposal = Proposal::of("", vec![intent.clone()]);
    let content = trials::drafted_content(&host.ctx, &host.access(), &proposal, &name).await?;
    host.drafts().put(name.clone(), intent);
    Ok(details(&name, None, &content))
}

/// Puts a draft that was journaled before in its place again.
pub(super) fn redraft(drafts: &mut Drafts, arguments: Arguments) -> Result<(), HostError> {
    let mut given = VerbArguments::new(HostVerb::BrainDraft, arguments)
        .map_err(|refusal| HostError::Failed(refusal.into_error().message))?;
    let (name, intent) = intent(&given.required_text("source"), given.text("name"))
        .map_err(|error| HostError::Failed(error.to_string()))?;
    drafts.put(name, intent);
    Ok(())
}

async fn check(host: &Host<'_>) -> Result<Json, Stop> {
    let proposal = some_drafts(host, "")?;
    let checks = changesets::check(&host.ctx, &host.access(), &proposal).await?;
    Ok(json!(checks))
}

pub(super) fn some_drafts(host: &Host<'_>, title: &str) -> Result<Proposal, Refusal> {
    let drafts = host.drafts();
    if drafts.is_empty() {
        return Err(Refusal::Refused("nothing is drafted; call `brain.draft(source)` first".to_owned()));
    }
    Ok(drafts.proposal(title))
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
