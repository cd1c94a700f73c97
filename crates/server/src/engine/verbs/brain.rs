//! `brain`: the brain as it was when the Run started, with the Run's own drafts; and proposing them.

use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::scope::Scope;
use model::step::Step;
use model::version::Version;
use sandbox::{Arguments, HostError};
use serde_json::{Value as Json, json};
use store::EntryPage;

use super::stop::Stop;
use super::{Given, Refusal, Reply};
use crate::app::changesets;
use crate::app::drafts::{Intent, Proposal};
use crate::app::error::Error;
use crate::app::functions::{self, Which};
use crate::app::{search, trials};
use crate::engine::host::Inner;

/// What one answer lists at most.
const MAX_LISTED: u32 = 200;

pub(super) async fn carry_out(host: &Inner, step: &Step, arguments: Arguments) -> Reply {
    let done = match step.verb.as_str() {
        "brain.search" => find(host, arguments).await,
        "brain.read" => read(host, arguments).await,
        "brain.list" => list(host, arguments).await,
        "brain.draft" => draft(host, arguments).await,
        "brain.check" => check(host).await,
        "brain.propose" => propose(host, step, arguments).await,
        verb => return Err(Refusal::Refused(format!("there is no verb `{verb}`"))),
    };
    done.map_err(Stop::into_refusal)
}

async fn find(host: &Inner, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("brain.search", &["query", "limit"], arguments)?;
    let query = given.required_text("query")?;
    let limit = given.number("limit")?.map_or(10, |limit| limit as usize).clamp(1, MAX_LISTED as usize);
    let found = search::search(&host.ctx, &host.access(), &query, limit).await?;
    let mut lines = Vec::new();
    for hit in found {
        // The index shows the brain as it is now; the Run sees it as it was.
        let Ok(name) = hit.name.parse() else { continue };
        let key = EntryKey::function(name);
        if let Some(version) = host.ctx.store.version_as_of(&key, host.run.revision).await? {
            lines.push(summary(&version));
        }
    }
    Ok(Json::Array(lines))
}

async fn read(host: &Inner, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("brain.read", &["name"], arguments)?;
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

async fn list(host: &Inner, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("brain.list", &["after", "limit"], arguments)?;
    let after = given.text("after")?;
    let limit = given.number("limit")?.map_or(MAX_LISTED, |limit| limit as u32).clamp(1, MAX_LISTED);
    let page = EntryPage { kind: EntryKind::Function, pack: None, after, limit, scope: Scope::All };
    let entries = functions::list(&host.ctx, &host.access(), page, Some(host.run.revision)).await?;
    let lines =
        entries.iter().map(|entry| json!({ "name": entry.key.name, "description": entry.description }));
    Ok(Json::Array(lines.collect()))
}

/// The source of a function, decorated or bare.
fn intent(arguments: &Arguments) -> Result<(EntryName, Intent), Error> {
    let refused = |refusal| match refusal {
        Refusal::Refused(text) | Refusal::Failed(text) | Refusal::Unavailable(text) => {
            Error::Input { problem: text, hint: "call `brain.draft(source)`".to_owned() }
        }
    };
    let mut given = Given::new("brain.draft", &["source", "name"], arguments.clone()).map_err(refused)?;
    let source = given.required_text("source").map_err(refused)?;
    let name = given.text("name").map_err(refused)?.map(|name| name.parse()).transpose()?;
    let intent = functions::read_function(&source, "draft.py", name.as_ref())?;
    let name = match (name, &intent) {
        (Some(name), _) => name,
        (None, Intent::Function(function)) => function.name()?,
        (None, _) => unreachable!("a source is the intent of a function"),
    };
    Ok((name, intent))
}

async fn draft(host: &Inner, arguments: Arguments) -> Result<Json, Stop> {
    Given::new("brain.draft", &["source", "name"], arguments.clone())?.open_text("source", host)?;
    let (name, intent) = intent(&arguments)?;
    let proposal = Proposal::of("", vec![intent.clone()]);
    let content = trials::drafted_content(&host.ctx, &host.access(), &proposal, &name).await?;
    host.drafts().put(name.clone(), intent);
    Ok(details(&name, None, &content))
}

/// Puts a draft that was journaled before in its place again.
pub(super) fn redraft(host: &Inner, arguments: &Arguments) -> Result<(), HostError> {
    let (name, intent) = intent(arguments).map_err(|error| HostError::Failed(error.to_string()))?;
    host.drafts().put(name, intent);
    Ok(())
}

async fn check(host: &Inner) -> Result<Json, Stop> {
    let proposal = some_drafts(host, "")?;
    let checks = changesets::check(&host.ctx, &host.access(), &proposal).await?;
    Ok(json!(checks))
}

/// Named after the Step, so that a Step that is carried out again finds what it proposed before.
async fn propose(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("brain.propose", &["title"], arguments)?;
    let title = given.text("title")?.unwrap_or_default();
    let title = host.redaction.text(&title);
    let once = Some(format!("step:{}:{}", step.run_id, step.position));
    let proposal = Proposal { once, ..some_drafts(host, &title)? };
    let policy = host.ctx.engine.config.changesets;
    let proposed = changesets::propose_by_policy(&host.ctx, &host.access(), &proposal, policy).await?;
    host.drafts().clear();
    Ok(json!({ "changeset": proposed.number, "state": proposed.state, "checks": proposed.checks }))
}

fn some_drafts(host: &Inner, title: &str) -> Result<Proposal, Refusal> {
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
