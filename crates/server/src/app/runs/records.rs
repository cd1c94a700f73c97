//! The record of one Run: everything known about it, and about what it started.

use std::collections::{HashMap, HashSet};

use model::access::Access;
use model::entry::EntryKind;
use model::ids::{RunId, VersionId};
use model::name::EntryName;
use model::run::Run;
use model::run::call::Call;
use model::run::draft::DraftContent;
use model::run::egress::EgressRequest;
use model::run::output::OutputChunk;
use model::run::step::Step;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use super::lists::{RunLine, lines};
use super::seen_steps::SeenSteps;
use crate::app::budgets::{self, RunSpending};
use crate::app::functions::names::{Names, under};
use crate::app::runs;
use crate::ctx::Ctx;
use crate::error::Error;

/// A Graph may have a million node executions.
const SHOWN_NODES: u32 = 200;

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct RunRecord {
    #[serde(flatten)]
    pub run: Run,
    pub version: Option<VersionNumber>,
    /// What was run, if it was a script that only this run has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The actor by name.
    pub who: String,
    /// By whose authority it ran, by name, and what that allows.
    pub under: String,
    /// Who asked for its end, by name.
    pub cancelled_by: Option<String>,
    pub printed: Vec<OutputChunk>,
    /// Every Version that was in its cell.
    pub loaded: Vec<Loaded>,
    pub calls: Vec<Call>,
    /// Of a Graph the first node executions; `/runs/{run_id}/nodes` has all.
    pub steps: Vec<Step>,
    /// Its network requests.
    pub requests: Vec<EgressRequest>,
    /// Further requests that were not recorded because there were too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests_left_out: u64,
    /// What it may spend and has spent on language models and new functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spending: Option<RunSpending>,
    /// Everything it led to, in the order of starting.
    pub below: Vec<Below>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
#[schema(as = LoadedVersion)]
pub struct Loaded {
    pub name: EntryName,
    pub version: VersionNumber,
    pub version_id: VersionId,
    /// Called by name; otherwise it is pinned.
    pub live: bool,
}

/// A Run that this one led to.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Below {
    #[serde(flatten)]
    pub line: RunLine,
    /// The Run that started it, or whose end a Trigger answered.
    pub above: RunId,
}

/// What lies outside is left out: functions it called and Versions it loaded, Runs it led to.
pub async fn show(ctx: &Ctx, access: &Access, id: RunId) -> Result<RunRecord, Error> {
    let run = runs::touched(ctx, access, id).await?;
    let names = Names::of(ctx, access, std::slice::from_ref(&run)).await?;
    let mut calls = ctx.store.calls(id).await?;
    calls.retain(|call| access.covers(&call.function));
    let steps = match run.key.kind {
        EntryKind::Graph => ctx
            .store
            .graph_steps(id, None, 0, SHOWN_NODES)
            .await
            .map_err(|error| Error::of_record(id, error))?,
        _ => ctx.store.steps(id).await.map_err(|error| Error::of_record(id, error))?,
    };
    let seen = SeenSteps::of(ctx, access, &run).await?;
    let steps = steps.into_iter().map(|step| seen.step(step)).collect();
    let run = runs::seen_run(access, run);
    Ok(RunRecord {
        version: names.version(&run),
        script: script(ctx, &run).await?,
        who: names.who(&run.actor),
        under: under(&names, access, &run.authority),
        cancelled_by: run.cancelled.as_ref().map(|(actor, _)| names.who(actor)),
        printed: printed(ctx, id).await?,
        loaded: loaded(ctx, access, &run).await?,
        calls,
        steps,
        requests: ctx.store.egress(id).await?,
        requests_left_out: ctx.store.egress_left_out(id).await?,
        spending: budgets::of_run(ctx, access, id).await?,
        below: below(ctx, access, id).await?,
        run,
    })
}

/// Of a Run that is not kept, what it did is not told either.
async fn script(ctx: &Ctx, run: &Run) -> Result<Option<String>, Error> {
    if run.how.draft.is_none() || run.key.kind != EntryKind::Function || run.is_forgotten() {
        return Ok(None);
    }
    Ok(match ctx.store.run_draft(run.run_id, run.key.kind).await? {
        Some(DraftContent::Code(code)) => Some(code.script),
        _ => None,
    })
}

/// Of a Run that executes here, what it has printed so far.
async fn printed(ctx: &Ctx, id: RunId) -> Result<Vec<OutputChunk>, Error> {
    match ctx.engine.running.look(id).map(|live| live.printed()) {
        Some(printed) if !printed.is_empty() => Ok(printed),
        // It may have ended in between; then its record has everything.
        _ => Ok(ctx.store.output(id).await?),
    }
}

/// What it runs first, then by name.
async fn loaded(ctx: &Ctx, access: &Access, run: &Run) -> Result<Vec<Loaded>, Error> {
    let Some(hash) = run.closure else { return Ok(Vec::new()) };
    let versions = ctx.store.closure_versions(hash).await?;
    let mut loaded: Vec<Loaded> = versions
        .into_iter()
        .filter(|(version, _)| access.covers(version.head.key.name.as_str()))
        .map(|(version, live)| Loaded {
            name: version.head.key.name,
            version: version.head.number,
            version_id: version.head.version_id,
            live,
        })
        .collect();
    loaded.sort_by_key(|one| Some(one.version_id) != run.version_id);
    Ok(loaded)
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

async fn below(ctx: &Ctx, access: &Access, id: RunId) -> Result<Vec<Below>, Error> {
    let mut runs = ctx.store.run_tree(id, access.only()).await?;
    runs.retain(|run| run.run_id != id);
    let upstream = upstream(ctx, &runs).await?;
    let known: HashSet<RunId> = runs.iter().map(|run| run.run_id).collect();
    // What a Trigger started belongs below the Run whose end it answered, if that is of this tree.
    let above = |run: &Run| {
        let caused = run.parent.or_else(|| upstream.get(&run.event_seq?).copied());
        caused.filter(|above| known.contains(above)).unwrap_or(id)
    };
    let above: Vec<RunId> = runs.iter().map(above).collect();
    let lines = lines(ctx, access, &runs).await?;
    Ok(lines.into_iter().zip(above).map(|(line, above)| Below { line, above }).collect())
}

/// Whose Events these Runs answer, by the Event.
async fn upstream(ctx: &Ctx, runs: &[Run]) -> Result<HashMap<u64, RunId>, Error> {
    let mut upstream = HashMap::new();
    for seq in runs.iter().filter(|run| run.parent.is_none()).filter_map(|run| run.event_seq) {
        if upstream.contains_key(&seq) {
            continue;
        }
        // Events are numbered without a gap; this one may be pruned.
        let event =
            ctx.store.events_after(seq.saturating_sub(1), 1).await?.pop().filter(|event| event.seq == seq);
        let run = event.and_then(|event| event.fact.data["run_id"].as_str()?.parse().ok());
        upstream.extend(run.map(|run| (seq, run)));
    }
    Ok(upstream)
}
