//! Runs of a graph and their node executions.

use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::entry::EntryKind;
use model::graph::exchange::{FilePins, graph_2024, starting_nodes};
use model::ids::{EntryId, RunId};
use model::name::EntryName;
use model::run::{Run, RunState};
use model::version::VersionNumber;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use store::RunFilter;
use uuid::{Builder, Uuid};

use super::graphs::{Purpose, graph_of, key, live};
use crate::app::functions::{Which, version};
use crate::app::runs::lists::{self, RunPage};
use crate::app::runs::nodes::{self, NodeExecution, NodeFilter, NodeState};
use crate::app::runs::{self, StartRun, Target};
use crate::ctx::Ctx;
use crate::error::Error;

/// How long whoever stops a run waits for its end.
const STOPS: Duration = Duration::from_secs(10);

/// What runs the active version of a graph, and the nodes that it begins with.
pub(crate) async fn to_start(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    input: Map<String, Value>,
) -> Result<(StartRun, Vec<String>), Error> {
    access.may_touch(Verb::StartRun, name.as_str())?;
    let (_, content) = live(ctx, access, name, Purpose::ToRun).await?;
    let nodes = starting_nodes(&content).into_iter().map(str::to_owned).collect();
    Ok((StartRun::of(Target::Live(name.clone()), input), nodes))
}

/// What a client is told of a run that it has started.
pub(crate) fn started(run: RunId, nodes: &[String]) -> Value {
    let executions = nodes.iter().map(|node| json!({"id": execution_id(run, node, 1), "node_id": node}));
    json!({"id": run, "executions": executions.collect::<Vec<_>>()})
}

/// The runs of a graph, newest first.
pub(crate) async fn list(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    of_version: Option<VersionNumber>,
    before: Option<RunId>,
    limit: u32,
) -> Result<(Vec<RunId>, Option<RunId>), Error> {
    access.may_touch(Verb::ReadRuns, name.as_str())?;
    live(ctx, access, name, Purpose::ToRun).await?;
    let filter = RunFilter { name: Some(name.to_string()), before, ..RunFilter::default() };
    let RunPage { runs, next } = lists::page(ctx, access, filter, limit).await?;
    let is_meant = |run: &&lists::RunLine| {
        run.key.kind == EntryKind::Graph && (of_version.is_none() || run.version == of_version)
    };
    Ok((runs.iter().filter(is_meant).map(|run| run.run_id).collect(), next))
}

/// The node executions of a run of this graph after a position, and where the next page begins.
pub(crate) async fn page(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    run: RunId,
    after: u32,
    limit: u32,
) -> Result<(Vec<Value>, Option<u32>), Error> {
    access.may_touch(Verb::ReadRuns, name.as_str())?;
    let shown = RunShown::of(ctx, access, name, run).await?;
    let filter = NodeFilter { after, limit, ..NodeFilter::default() };
    let (executions, is_more) = nodes::list(ctx, access, run, &filter).await?;
    let next = executions.last().filter(|_| is_more).map(|last| last.position);
    Ok((executions.iter().filter_map(|one| shown.execution(one)).collect(), next))
}

/// Ends a run of this graph and waits until it has ended.
pub(crate) async fn stop(ctx: &Ctx, access: &Access, name: &EntryName, run: RunId) -> Result<(), Error> {
    access.may_touch(Verb::CancelRun, name.as_str())?;
    run_of(ctx, access, name, run).await?;
    match runs::cancel(ctx, access, run).await {
        // It has ended as it was asked to.
        Err(Error::RunEnded { .. }) => return Ok(()),
        cancelled => cancelled?,
    };
    tokio::select! {
        ended = runs::wait(ctx, access, run) => ended.map(drop),
        () = ctx.clock.wait_until(ctx.clock.now() + STOPS) => Ok(()),
    }
}

/// A run of another graph is not there.
async fn run_of(ctx: &Ctx, access: &Access, name: &EntryName, id: RunId) -> Result<Run, Error> {
    let run = runs::get(ctx, access, id).await?;
    if run.key == key(name) { Ok(run) } else { Err(Error::RunNotFound { id: id.to_string() }) }
}

/// The id of a node execution: the same each time.
fn execution_id(run: RunId, node: &str, number: u32) -> Uuid {
    let hash = Sha256::digest(format!("{run}/{number}/{node}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// A run, and what is needed to show its node executions.
pub(super) struct RunShown {
    run: Run,
    graph: EntryId,
    version: VersionNumber,
    pins: FilePins,
}

impl RunShown {
    pub(super) async fn of(
        ctx: &Ctx,
        access: &Access,
        name: &EntryName,
        id: RunId,
    ) -> Result<RunShown, Error> {
        let run = run_of(ctx, access, name, id).await?;
        let versions: Vec<_> = run.version_id.into_iter().collect();
        let head = ctx.store.version_heads(&versions).await?.pop().ok_or(Error::ClosureGone)?;
        let version = version(ctx, access, &head.key, Which::Number(head.number)).await?;
        let content = graph_of(&version)?;
        let pins = FilePins::of(content, &graph_2024(name, content));
        Ok(RunShown { run, graph: head.entry_id, version: head.number, pins })
    }

    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    /// What the run has become since.
    pub(super) fn is_now(&mut self, run: Run) {
        self.run = run;
    }

    /// Nothing of a node that only stands here.
    pub(super) fn execution(&self, execution: &NodeExecution) -> Option<Value> {
        let empty = Map::new();
        let input = self.pins.input(&execution.node, execution.input.as_object().unwrap_or(&empty))?;
        let mut output = self.pins.output(&execution.node, &execution.outputs)?;
        let status = self.status(execution.state);
        let error = match (&execution.error, execution.state) {
            (Some(error), _) => Some(format!("{}: {}", error.type_name, error.message)),
            (None, NodeState::Running) if status == "FAILED" => Some("TERMINATED".to_owned()),
            (None, _) => None,
        };
        if let Some(error) = error {
            output.entry("error").or_insert_with(|| json!([error]));
        }
        let begun: Timestamp = execution.started_at;
        Some(json!({
            "graph_id": self.graph,
            "graph_version": self.version,
            "graph_exec_id": self.run.run_id,
            "node_exec_id": execution_id(self.run.run_id, &execution.node, execution.number),
            "node_id": execution.node,
            "status": status,
            "input_data": input,
            "output_data": output,
            "add_time": begun,
            "queue_time": begun,
            "start_time": begun,
            "end_time": execution.finished_at.or(self.run.finished_at.filter(|_| status == "FAILED")),
        }))
    }

    /// What a run that has ended left behind did not complete.
    fn status(&self, state: NodeState) -> &'static str {
        match state {
            NodeState::Succeeded => "COMPLETED",
            NodeState::Failed => "FAILED",
            NodeState::Running if self.run.state.is_final() => "FAILED",
            NodeState::Running if self.run.state == RunState::Queued => "QUEUED",
            NodeState::Running => "RUNNING",
        }
    }
}
