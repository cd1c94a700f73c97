//! Why a Version is there: who asked for it, what wrote it and with which models, what it passed, who let it in, and what it has done since.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::changeset::ChangesetState;
use model::changeset::check::{Check, Gate, Verdict};
use model::entry::{EntryKey, EntryKind};
use model::function::test_case::TestKind;
use model::ids::RunId;
use model::name::EntryName;
use model::run::Run;
use model::run::step::Step;
use model::version::{VersionHead, VersionNumber};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::RunFilter;

use super::Which;
use super::names::Names;
use crate::app::changesets;
use crate::app::runs;
use crate::app::runs::lists::{self, RunLine};
use crate::ctx::Ctx;
use crate::error::Error;

/// So many of its later Runs are shown.
const LATER: usize = 10;

/// Among so many of the newest.
const LOOKED_AT: u32 = 100;

/// A Run is started by another, and so on; nobody nests deeper.
const MOST_ABOVE: usize = 64;

/// Models are asked by the Runs that one request led to; so many of these are looked at.
const MOST_RUNS: usize = 50;

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Provenance {
    pub function: EntryName,
    pub version: VersionNumber,
    pub live: bool,
    pub written_at: Timestamp,
    /// Who wrote it, by name.
    pub who: String,
    /// The Changeset that brought it; absent if it also changes what may not be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changeset: Option<ChangesetOf>,
    /// The Run that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunLine>,
    /// What somebody asked for in the first place: the Run that led to the one that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestOf>,
    /// Language models that were asked on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelOf>,
    /// How many tests of each kind it has.
    pub tests: BTreeMap<String, usize>,
    /// Its newest Runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunLine>,
}

/// The Changeset that brought a Version.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ChangesetOf {
    pub number: u64,
    pub title: String,
    pub state: ChangesetState,
    pub checks: Vec<CheckOf>,
    /// Who let it in, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct CheckOf {
    pub gate: Gate,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct RequestOf {
    #[serde(flatten)]
    pub run: RunLine,
    /// As it is recorded.
    pub input: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ModelOf {
    pub model: String,
    /// How often it was asked.
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

pub async fn show(ctx: &Ctx, access: &Access, name: &EntryName, which: Which) -> Result<Provenance, Error> {
    let key = EntryKey::function(name.clone());
    let version = super::version(ctx, access, &key, which).await?;
    let head = &version.head;
    let live = ctx.store.live_version(&key).await?;
    let writer = writer(ctx, access, &head.written_by).await?;
    let (request, models) = match &writer {
        Some(run) => (request(ctx, access, run).await?, models(ctx, access, run).await?),
        None => (None, Vec::new()),
    };
    let names = Names::of_actors(ctx, access, [&head.written_by]).await?;
    let tests = version.content.as_function().map(|function| function.tests.as_slice()).unwrap_or_default();
    let count =
        |kind: TestKind| (kind.as_str().to_owned(), tests.iter().filter(|test| test.kind == kind).count());
    let kinds = [TestKind::Exact, TestKind::Generated, TestKind::Regression];
    Ok(Provenance {
        function: name.clone(),
        version: head.number,
        live: live.is_some_and(|live| live.head.version_id == head.version_id),
        written_at: head.written_at,
        who: names.who(&head.written_by),
        changeset: changeset(ctx, access, &version.head).await?,
        run: lines(ctx, access, writer.as_slice()).await?.pop(),
        request,
        models,
        tests: kinds.map(count).into_iter().filter(|(_, count)| *count > 0).collect(),
        runs: later(ctx, access, &version.head).await?,
    })
}

async fn lines(ctx: &Ctx, access: &Access, runs: &[Run]) -> Result<Vec<RunLine>, Error> {
    lists::lines(ctx, access, runs).await
}

async fn changeset(ctx: &Ctx, access: &Access, head: &VersionHead) -> Result<Option<ChangesetOf>, Error> {
    let Some(changeset) = ctx.store.changeset(head.changeset_id).await? else { return Ok(None) };
    if !changeset.is_visible_to(access.only()) {
        return Ok(None);
    }
    let view = changesets::show(ctx, access, changeset.number).await?;
    let check = |check: Check| CheckOf { gate: check.gate, verdict: check.verdict, note: check.note };
    Ok(Some(ChangesetOf {
        number: view.number,
        title: view.title,
        state: view.state,
        checks: view.checks.into_iter().map(check).collect(),
        decider: view.decider,
        decided_at: view.decided_at,
    }))
}

/// The Run that wrote it, if it may be seen and is still recorded.
async fn writer(ctx: &Ctx, access: &Access, author: &Actor) -> Result<Option<Run>, Error> {
    let Actor::Run(id) = author else { return Ok(None) };
    seen(ctx, access, *id).await
}

async fn seen(ctx: &Ctx, access: &Access, id: RunId) -> Result<Option<Run>, Error> {
    match runs::get(ctx, access, id).await {
        Ok(run) => Ok(Some(run)),
        Err(Error::RunNotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The first of the Runs that led to this one, as far as they may be seen.
async fn request(ctx: &Ctx, access: &Access, run: &Run) -> Result<Option<RequestOf>, Error> {
    let mut first = run.clone();
    for _ in 0..MOST_ABOVE {
        let Some(above) = first.parent else { break };
        let Some(above) = seen(ctx, access, above).await? else { break };
        first = above;
    }
    let line = lines(ctx, access, std::slice::from_ref(&first)).await?.pop();
    Ok(line.map(|run| RequestOf { run, input: first.input }))
}

/// What the Steps of a Run, and of all that it started, say about models.
async fn models(ctx: &Ctx, access: &Access, run: &Run) -> Result<Vec<ModelOf>, Error> {
    let mut found: BTreeMap<String, ModelOf> = BTreeMap::new();
    for one in ctx.store.run_tree(run.run_id, access.only()).await?.into_iter().take(MOST_RUNS) {
        if one.key.kind == EntryKind::Graph {
            continue;
        }
        let id = one.run_id;
        for step in ctx.store.steps(id).await.map_err(|error| Error::of_record(id, error))? {
            count(&mut found, &step);
        }
    }
    Ok(found.into_values().collect())
}

fn count(found: &mut BTreeMap<String, ModelOf>, step: &Step) {
    let (true, Some(result)) = (step.verb.starts_with("model."), &step.result) else { return };
    let Some(model) = result["model"].as_str() else { return };
    let usage = &result["usage"];
    let tokens = |names: [&str; 2]| names.iter().find_map(|name| usage[name].as_u64()).unwrap_or_default();
    let one = found.entry(model.to_owned()).or_insert_with(|| ModelOf {
        model: model.to_owned(),
        calls: 0,
        input_tokens: 0,
        output_tokens: 0,
    });
    one.calls += 1;
    one.input_tokens += tokens(["input", "prompt_tokens"]);
    one.output_tokens += tokens(["output", "completion_tokens"]);
}

async fn later(ctx: &Ctx, access: &Access, head: &VersionHead) -> Result<Vec<RunLine>, Error> {
    let filter = RunFilter { name: Some(head.key.name.to_string()), ..RunFilter::default() };
    let mut found = runs::list(ctx, access, filter, LOOKED_AT).await?;
    found.retain(|run| run.version_id == Some(head.version_id));
    found.truncate(LATER);
    lines(ctx, access, &found).await
}
