//! Resumes a Run of a Graph that failed: a new Run that keeps what succeeded and executes again what failed.

use model::access::Access;
use model::access::verb::Verb;
use model::graph::Node;
use model::graph::run_options::GraphOptions;
use model::ids::RunId;
use model::run::{Run, RunState};
use serde::{Deserialize, Serialize};

use super::rerun::recorded_input;
use super::{StartRun, Target, touched};
use crate::ctx::Ctx;
use crate::engine::state_of;
use crate::error::Error;
use crate::prepare::Callable;

/// What would be executed again.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ResumePlan {
    /// How many node executions are kept.
    pub kept: u64,
    /// Those that failed, or that were under way when the run ended. What they did outside before that, they do again.
    pub repeated: Vec<Repeated>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Repeated {
    pub node: String,
    pub number: u32,
    pub block: String,
    /// Why it failed; absent if it was under way.
    pub error: Option<String>,
}

pub async fn plan(ctx: &Ctx, access: &Access, id: RunId) -> Result<ResumePlan, Error> {
    let run = failed(touched(ctx, access, id).await?)?;
    access.may_continue(id, &run.authority)?;
    let prepared = ctx.engine.closures.for_run(ctx, &run).await?;
    let Callable::Graph(graph, _) = &prepared.callable else { return Err(not_resumable(&run)) };
    let Ok(plan) = &graph.plan else { return Err(not_resumable(&run)) };
    let (plan, state) = state_of(ctx, &run, graph, plan).await?;
    let node = |at: u32| -> &Node { &graph.content.nodes[at as usize] };
    let failures = state.outcome().map(|outcome| outcome.failures.clone()).unwrap_or_default();
    let failed = failures.into_iter().map(|failure| Repeated {
        block: node(failure.execution.node.0).block.clone(),
        number: failure.execution.number,
        node: failure.node,
        error: Some(failure.message),
    });
    let under_way = state.under_way(&plan).into_iter().map(|(execution, _)| Repeated {
        node: node(execution.node.0).id.clone(),
        number: execution.number,
        block: node(execution.node.0).block.clone(),
        error: None,
    });
    let repeated: Vec<Repeated> = failed.chain(under_way).collect();
    let (last, open) = ctx.store.open_graph_steps(id).await?;
    let over =
        u64::from(last).saturating_sub(open.iter().filter(|step| step.finished_at.is_none()).count() as u64);
    let failures = repeated.iter().filter(|one| one.error.is_some()).count() as u64;
    Ok(ResumePlan { kept: over.saturating_sub(failures), repeated })
}

/// What it takes to go on: on the versions it ran, or with what its nodes call now.
pub async fn resume(ctx: &Ctx, access: &Access, id: RunId, newer: bool) -> Result<StartRun, Error> {
    access.may(Verb::StartRun)?;
    let run = failed(touched(ctx, access, id).await?)?;
    // The new Run has what this one read, as if it had read that itself.
    access.may_continue(id, &run.authority)?;
    let target = match run.version_id {
        Some(version) if newer => Target::Exact(version),
        _ => Target::Recorded(id),
    };
    let options = run.how.graph.as_deref().cloned().unwrap_or_default();
    let input = run.input.as_object().cloned().unwrap_or_default();
    Ok(StartRun {
        graph: GraphOptions { resumes: Some(id), ..options },
        timeout_ms: run.how.timeout_ms,
        budget: run.how.budget,
        ..StartRun::of(target, input)
    })
}

fn failed(run: Run) -> Result<Run, Error> {
    if run.state != RunState::Failed || run.key.kind != model::entry::EntryKind::Graph {
        return Err(not_resumable(&run));
    }
    recorded_input(run)
}

fn not_resumable(run: &Run) -> Error {
    let (id, state) = (run.run_id, run.state.as_str());
    match run.key.kind {
        model::entry::EntryKind::Graph => Error::Input {
            problem: format!("run {id} is {state}, and only a run that failed can be resumed"),
            hint: format!("`selfmade runs rerun {id}` runs it again from the beginning"),
        },
        _ => Error::Input {
            problem: format!("run {id} is not of a graph, so there is nothing of it to keep"),
            hint: format!("`selfmade runs rerun {id}` runs it again"),
        },
    }
}
